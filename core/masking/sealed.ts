import { clearBits, ownDigits, type Placement, putBits } from './base64.ts';

/**
 * Sealed values: what the store keeps of values that may hold secrets. Where a secret stood in a
 * text, a marker with the secret's name stands, so that whoever shows the text shows the mask,
 * and the run's own process alone, which knows the secrets, gets the value back.
 *
 * A marker is `<begin>NAME<end>`; behind the name, what form the secret had there. A number that
 * held a secret is a text with `<number>` before it. Where one of these characters, which are
 * from Unicode's private use, is in a real text, it has `<literal>` before it.
 */
const begin = '\uF8A1';
const end = '\uF8A2';
const literal = '\uF8A3';
const number = '\uF8A4';
const special = /[\uF8A1-\uF8A4]/g;
const tokens = /\uF8A3([\uF8A1-\uF8A4])|\uF8A1([^\uF8A1-\uF8A4]*)\uF8A2/g;

/** Between a marker's parts. */
const divider = '\t';

/** What stands in place of a secret where a text is shown. */
export const mask = '*******';

/** A real text as it stands in a sealed one. */
export function sealText(text: string): string {
  return text.replaceAll(special, `${literal}$&`);
}

/** The marker of a secret. One without a name stays masked for good. */
export function marker(name: string, form: readonly string[]): string {
  return `${begin}${[name, ...form].join(divider)}${end}`;
}

/** A number as a sealed text, markers in it. */
export function sealedNumber(text: string): string {
  return number + text;
}

/** The form of a secret without the blanks around it. */
export const trimmedForm: readonly string[] = ['trim'];

/** The form of a secret, without the blanks around it, within a JSON text. */
export const jsonForm: readonly string[] = ['json'];

/** A text as it stands in a JSON text. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * The form of a secret within base64: the text with the secret's bits taken out, since its first
 * and last digit may have bits of what stands around the secret.
 */
export function base64Form(text: string, hasSharedFirst: boolean, placement: Placement): readonly string[] {
  const first = ownDigits(placement).from - (hasSharedFirst ? 1 : 0);
  return ['base64', `${placement.alignment}`, `${first}`, `${placement.size}`, clearBits(text, first, placement)];
}

/** A sealed value for showing: every secret masked. */
export function showSealed<T>(value: T): T {
  return mapTexts(value, (text) => readSealed(text, () => mask).text) as T;
}

/** A sealed value with its secrets in place; those that are not known stay masked. */
export function openSealed<T>(value: T, secrets: readonly { name: string; value: string }[]): T {
  const known = new Map(secrets.map((secret) => [secret.name, secret.value]));
  return mapTexts(value, (sealed) => {
    const { text, isNumber } = readSealed(sealed, ([name = '', ...form]) => {
      const secret = known.get(name);
      return (secret === undefined ? undefined : inForm(secret, form)) ?? mask;
    });
    return isNumber && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  }) as T;
}

/** The names of the secrets in a sealed value; an empty one is of a secret that had none. */
export function sealedNames(value: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  mapTexts(value, (sealed) =>
    readSealed(sealed, ([name = '']) => {
      names.add(name);
      return mask;
    }),
  );
  return names;
}

function readSealed(sealed: string, secret: (parts: string[]) => string): { text: string; isNumber: boolean } {
  const isNumber = sealed.startsWith(number);
  const text = (isNumber ? sealed.slice(1) : sealed).replaceAll(
    tokens,
    (_, real: string | undefined, parts: string | undefined) => real ?? secret((parts ?? '').split(divider)),
  );
  return { text, isNumber };
}

/** The secret as it stood; `undefined` where it has another length by now, so that it does not fit in. */
function inForm(secret: string, [kind, alignment, first, size, text]: readonly string[]): string | undefined {
  if (kind === undefined) return secret;
  if (kind === 'trim') return secret.trim();
  if (kind === 'json') return inJson(secret.trim());
  const bytes = Buffer.from(secret.trim());
  if (text === undefined || bytes.length !== Number(size)) return undefined;
  return putBits(text, Number(first), bytes, Number(alignment) as Placement['alignment']);
}

/** A copy of a JSON value with every text in it, keys included, replaced. */
export function mapTexts(value: unknown, map: (text: string) => unknown): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [String(map(key)), mapTexts(item, map)]));
  }
  return value;
}
