import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority } from '../../test/fixtures/certificates.ts';
import { type SystemStore, trustedRoots } from './roots.ts';

const [first, second, third] = [makeAuthority('1').root, makeAuthority('2').root, makeAuthority('3').root];
let folder: string;
const path = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'roots-'));
  writeFileSync(path('bundle.crt'), `# One\n${first}# Two\r\n${second}`);
  writeFileSync(path('more.pem'), `${second}${third}`);
  writeFileSync(path('other.der'), 'no certificate');
});
afterAll(() => rmSync(folder, { recursive: true }));

const linux = (...bundles: string[]): SystemStore => ({ platform: 'linux', read: undefined, bundles });
const lines = (certificates: string[]) => certificates.map((pem) => pem.trim());
const added = (certificates: string[]) => lines(certificates.slice(rootCertificates.length));

describe('trustedRoots', () => {
  it("adds the system's first bundle and the files that variables name to Node's own list, each root once", () => {
    const env = { SSL_CERT_FILE: path('more.pem'), NODE_EXTRA_CA_CERTS: path('bundle.crt') };
    const { certificates, problems } = trustedRoots(env, linux(path('gone.crt'), path('bundle.crt'), path('more.pem')));
    expect(certificates.slice(0, rootCertificates.length)).toEqual(rootCertificates);
    expect(added(certificates)).toEqual(lines([first, second, third]));
    expect(problems).toEqual([]);
  });

  it('tells a system without a bundle', () => {
    const { certificates, problems } = trustedRoots({}, linux(path('gone.crt')));
    expect(added(certificates)).toEqual([]);
    expect(problems).toEqual([
      `the system's store of root certificates cannot be used: there is none of ${path('gone.crt')}; install the package ca-certificates`,
    ]);
  });

  it('tells files that are no PEM or not there, and takes the rest', () => {
    const env = { SSL_CERT_FILE: path('other.der'), NODE_EXTRA_CA_CERTS: path('gone.pem') };
    const { certificates, problems } = trustedRoots(env, linux(path('bundle.crt')));
    expect(added(certificates)).toEqual(lines([first, second]));
    expect(problems).toEqual([
      `SSL_CERT_FILE=${path('other.der')} cannot be used: ${path('other.der')} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)`,
      expect.stringMatching(/^NODE_EXTRA_CA_CERTS=.*gone.pem cannot be used: ENOENT/),
    ]);
  });

  it.each(['win32', 'darwin'] as const)('asks Node for the store of %s, or tells that this Node cannot', (platform) => {
    const store: SystemStore = { platform, read: () => [third], bundles: [path('bundle.crt')] };
    expect(added(trustedRoots({}, store).certificates)).toEqual(lines([third]));
    const { certificates, problems } = trustedRoots({}, { ...store, read: undefined });
    expect(added(certificates)).toEqual([]);
    expect(problems).toEqual([expect.stringContaining('use Node 22.15 or newer, or name a PEM file in SSL_CERT_FILE')]);
  });
});
