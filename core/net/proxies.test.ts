import { describe, expect, it } from 'vitest';
import { proxyFor } from './proxies.ts';

const secure = new URL('https://model.example/v1');
const plain = new URL('http://model.example/v1');

describe('proxyFor', () => {
  it.each<[URL, Record<string, string>, string | undefined]>([
    [secure, {}, undefined],
    [secure, { HTTPS_PROXY: 'http://one:3128' }, 'http://one:3128/'],
    [secure, { HTTPS_PROXY: 'one:3128' }, 'http://one:3128/'],
    [secure, { HTTPS_PROXY: 'https://one' }, 'https://one/'],
    [secure, { https_proxy: 'http://small:1', HTTPS_PROXY: 'http://large:1' }, 'http://small:1/'],
    [secure, { https_proxy: ' ', HTTPS_PROXY: 'http://large:1' }, 'http://large:1/'],
    [secure, { HTTP_PROXY: 'http://one:1' }, undefined],
    [secure, { ALL_PROXY: 'http://all:1' }, 'http://all:1/'],
    [secure, { ALL_PROXY: 'http://all:1', HTTPS_PROXY: 'http://one:1' }, 'http://one:1/'],
    [plain, { HTTPS_PROXY: 'http://one:1' }, undefined],
    [plain, { HTTP_PROXY: 'http://one:1', all_proxy: 'http://all:1' }, 'http://one:1/'],
    [secure, { HTTPS_PROXY: 'http://one:1', NO_PROXY: 'model.example' }, undefined],
    [secure, { HTTPS_PROXY: 'http://one:1', no_proxy: 'a.example', NO_PROXY: 'model.example' }, 'http://one:1/'],
    [new URL('https://localhost/'), { HTTPS_PROXY: 'http://one:1' }, undefined],
    [new URL('https://localhost/'), { HTTPS_PROXY: 'http://one:1', NO_PROXY: '<-loopback>' }, 'http://one:1/'],
    [new URL('https://localhost/'), { HTTPS_PROXY: 'http://one:1', NO_PROXY: '<-loopback>,*' }, undefined],
  ])('%s with %j', (url, env, proxy) => {
    expect(proxyFor(url, env)?.url.href).toBe(proxy);
  });

  it.each([
    ['http://clerk:secret@one:1', 'clerk:secret'],
    ['http://clerk@one:1', 'clerk:'],
    ['http://clerk:p%40ss%20w%C3%B6rd@one:1', 'clerk:p@ss wörd'],
    ['http://clerk:100%@one:1', 'clerk:100%'],
  ])('takes name and password out of %s', (HTTPS_PROXY, credentials) => {
    const proxy = proxyFor(secure, { HTTPS_PROXY });
    expect(proxy?.url.href).toBe('http://one:1/');
    expect(proxy?.authorization).toBe(`Basic ${Buffer.from(credentials).toString('base64')}`);
  });

  it.each(['http://clerk:s3cret#x@one:1', 'http://clerk:12/s3cret@one:1', 'socks5://clerk:s3cret@one', 'http://'])(
    'refuses %s without showing it',
    (HTTPS_PROXY) => {
      let message = '';
      try {
        proxyFor(secure, { HTTPS_PROXY });
      } catch (error) {
        message = `${(error as Error).stack} ${JSON.stringify(error)}`;
      }
      expect(message).toMatch(
        /NetError: HTTPS_PROXY (is not the address of a proxy|names a proxy of the kind socks5:)/,
      );
      expect(message).not.toMatch(/s3cret|clerk/);
    },
  );
});
