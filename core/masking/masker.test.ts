import { describe, expect, it } from 'vitest';
import { Masker } from './masker.ts';
import { mask } from './sealed.ts';

const named = (...values: string[]) => values.map((value, index) => ({ name: `S${index}`, value }));

/** What a stream shows of bytes that come in these chunks. */
function streamed(masker: Masker, chunks: readonly Buffer[]): string {
  const stream = masker.stream();
  return Buffer.concat([...chunks.map((chunk) => stream.push(chunk)), stream.end()]).toString('latin1');
}

/** Bytes cut at two places, in every way. */
function* cuts(bytes: Buffer): Generator<Buffer[]> {
  for (let first = 0; first <= bytes.length; first += 1) {
    for (let second = first; second <= bytes.length; second += 1) {
      yield [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
    }
  }
}

/** Numbers that look random and are the same in each run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
}

describe('a masker', () => {
  it('replaces the longest secret first', () => {
    expect(new Masker(named('pass', 'password')).text('password pass')).toBe('******* *******');
  });

  it('leaves nothing of secrets that overlap', () => {
    expect(new Masker(named('abcd', 'cdef')).text('xabcdefx')).toBe('x*******x');
  });

  it('masks nested values and keys', () => {
    expect(new Masker(named('key')).json({ key: ['a key', 1, null] })).toEqual({ '*******': ['a *******', 1, null] });
  });

  it('masks numbers that hold a secret of four digits', () => {
    const masker = new Masker(named('1234', '56'));
    expect(masker.values({ a: 1234, b: [91234.5], c: 56, d: true })).toEqual({
      a: mask,
      b: [`9${mask}.5`],
      c: 56,
      d: true,
    });
  });

  it('masks a value that is added while a stream goes on', () => {
    const masker = new Masker();
    const stream = masker.stream();
    expect(stream.push(Buffer.from('late ')).toString()).toBe('late ');
    masker.add('late');
    expect(stream.push(Buffer.from('late ')).toString()).toBe('******* ');
  });

  it('masks a secret of a file also without its line end', () => {
    const masker = new Masker(named('from-a-file\n'));
    expect(masker.text('[from-a-file] from-a-file\n.')).toBe(`[${mask}] ${mask}.`);
  });

  it('masks a secret that a step prints within JSON', () => {
    const value = '-----BEGIN KEY-----\n"abc"\\def\n-----END KEY-----\n';
    expect(new Masker(named(value)).text(`{"key":${JSON.stringify(value)}}`)).toBe(`{"key":"${mask}\\n"}`);
  });

  it('shows text without secrets as it is, also what is no UTF-8', () => {
    const odd = 'a \ud800 b';
    expect(new Masker(named('secret')).text(odd)).toBe(odd);
    const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x2e]);
    expect(new Masker(named('secret')).stream().push(bytes)).toEqual(bytes);
  });
});

describe('a masked stream', () => {
  it('shows no byte of a secret, wherever chunks end', () => {
    const masker = new Masker(named('abcabd', 'abc', '秘密の鍵', 'c'));
    const text = 'x abcabd y abcabcabd 秘密の鍵 ab abc abcab';
    const expected = Buffer.from(masker.text(text)).toString('latin1');
    expect(expected).toBe(`x ${mask} y ${mask}${mask} ${mask} ab ${mask} ${mask}ab`);
    for (const chunks of cuts(Buffer.from(text))) expect(streamed(masker, chunks)).toBe(expected);
  });

  it('shows at once what begins no secret: the line that ends is not held back', () => {
    const stream = new Masker(named('password', 'kjhgf')).stream();
    for (const line of ['Done.\n', 'all done\n', 'progress: 50 %', 'passing \n', '...=\n']) {
      expect(stream.push(Buffer.from(line)).toString()).toBe(line);
    }
    expect(stream.push(Buffer.from('the passw')).toString()).toBe('the ');
    expect(stream.push(Buffer.from('ing')).toString()).toBe('passwin');
    expect(stream.end().toString()).toBe('g');
  });

  it('keeps little, however long a secret goes on and on', () => {
    const stream = new Masker(named('aaaa')).stream();
    const first = stream.push(Buffer.alloc(1000, 'a'));
    const more = Array.from({ length: 100 }, () => stream.push(Buffer.alloc(1000, 'a')).length);
    expect(first.toString()).toBe(mask);
    expect(Math.max(...more)).toBe(0);
    expect(stream.push(Buffer.from(' b ')).toString()).toBe(' b ');
  });

  it('shows the same for any chunks of any bytes', () => {
    const random = randomNumbers(7);
    for (let round = 0; round < 300; round += 1) {
      const letters = 'ab\nQ=';
      const word = (length: number) => Array.from({ length }, () => letters[random(letters.length)]).join('');
      const secrets = [word(1 + random(3)), word(4), word(5 + random(3))];
      const masker = new Masker(named(...secrets));
      const pieces = [...secrets, ...secrets.map((one) => Buffer.from(`x${one}yz`).toString('base64')), word(30)];
      const bytes = Buffer.from(Array.from({ length: 8 }, () => pieces[random(pieces.length)]).join(''));
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = 1 + random(9);
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(streamed(masker, chunks), JSON.stringify({ round, secrets })).toBe(masker.text(bytes.toString()));
    }
  });
});

describe('base64 of a secret', () => {
  const secret = 'pä?ss>wörd~~';
  const masker = new Masker([{ name: 'KEY', value: secret }]);
  const around = ['', 'a', 'ab', 'user:', 'abcdef'];
  const forms = ['base64', 'base64url'] as const;

  it('is masked wherever it stands in it, in both alphabets, padded or not', () => {
    for (const before of around) {
      for (const after of around) {
        for (const form of forms) {
          const encoded = Buffer.from(before + secret + after).toString(form);
          const shown = masker.text(`Basic ${encoded}, end`);
          expect(shown, `${before}|${after}|${form}`).toMatch(/^Basic [\w/+-]{0,8}\*{7}[\w/+-]{0,8}={0,2}, end$/);
          const left = shown.slice(6, -5).split(mask) as [string, string];
          // What is left of it is what stands around the secret.
          expect(Buffer.from(left[0], 'base64').toString()).toBe(before.slice(0, Math.floor((left[0].length * 6) / 8)));
          expect(encoded.endsWith(left[1])).toBe(true);
          expect(left[1].replaceAll('=', '').length).toBeLessThanOrEqual(Math.ceil((after.length * 8) / 6));
        }
      }
    }
  });

  it('is masked where the lines are wrapped, wherever the break is and chunks end', () => {
    for (const [width, lineEnd] of [
      [76, '\n'],
      [64, '\r\n'],
    ] as const) {
      for (let before = 40; before < 64; before += 1) {
        const lines = wrap(Buffer.from(`${'x'.repeat(before)}${secret}${'y'.repeat(60)}`).toString('base64'), width);
        const text = lines.join(lineEnd);
        const shown = masker.text(text);
        expect(shown, `${before}`).toContain(mask);
        expect(Buffer.from(shown.split(mask)[0] as string, 'base64').toString()).toMatch(/^x+$/);
        const bytes = Buffer.from(text);
        for (let at = 0; at <= bytes.length; at += 1) {
          expect(streamed(masker, [bytes.subarray(0, at), bytes.subarray(at)])).toBe(shown);
        }
      }
    }
  });

  it('is masked wherever chunks end', () => {
    for (const before of around.slice(0, 3)) {
      const text = `x=${Buffer.from(`${before}${secret}!`).toString('base64')}.`;
      const expected = masker.text(text);
      for (const chunks of cuts(Buffer.from(text))) expect(streamed(masker, chunks)).toBe(expected);
    }
  });

  it('is masked for every secret of four characters', () => {
    for (const value of ['1234', 'a b!', '0000', '????']) {
      for (const before of ['', 'a', 'ab']) {
        const encoded = Buffer.from(`${before}${value}zzz`).toString('base64');
        expect(new Masker(named(value)).text(encoded), value).toContain(mask);
      }
    }
  });

  it('leaves other text and base64 alone', () => {
    const text = `pass word\n${Buffer.from('something else, and more of it').toString('base64')}\n`;
    expect(masker.text(text)).toBe(text);
  });
});

function wrap(text: string, width: number): string[] {
  return Array.from({ length: Math.ceil(text.length / width) }, (_, line) =>
    text.slice(line * width, (line + 1) * width),
  );
}
