import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import type { Environment } from './proxies.ts';

/** Where Linux distributions keep all the root certificates that they trust; the first that is there counts. */
const bundles: readonly string[] = [
  '/etc/ssl/certs/ca-certificates.crt', // Debian, Ubuntu, Arch, Gentoo
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem', // Fedora, RHEL
  '/etc/pki/tls/certs/ca-bundle.crt', // older ones of them
  '/etc/ssl/ca-bundle.pem', // openSUSE
  '/etc/ssl/cert.pem', // Alpine
];

/** Variables that name further files of root certificates. */
const fileVariables = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];

export interface Roots {
  /** Certificates in PEM, each once. */
  certificates: string[];
  /** Stores and files that could not be read, in words. */
  problems: string[];
}

/** What the system gives, apart from files that the environment names. */
export interface SystemStore {
  platform: NodeJS.Platform;
  /** Reads the system's store where this Node can. */
  read: (() => string[]) | undefined;
  bundles: readonly string[];
}

/** The store of the system that this program runs on. */
export function systemStore(): SystemStore {
  // In Node from 22.15 on.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'system') => string[] };
  return { platform: process.platform, read: getCACertificates && (() => getCACertificates('system')), bundles };
}

/**
 * The root certificates that connections trust: Node's own list, the system's store, and the
 * PEM files of SSL_CERT_FILE and NODE_EXTRA_CA_CERTS. What cannot be read is left out and told.
 */
export function trustedRoots(env: Environment, store: SystemStore = systemStore()): Roots {
  const problems: string[] = [];
  const attempt = (what: string, read: () => readonly string[]) => {
    try {
      return read();
    } catch (error) {
      problems.push(`${what} cannot be used: ${(error as Error).message}`);
      return [];
    }
  };
  const named = fileVariables.flatMap((variable) => {
    const file = env[variable] ?? '';
    return file === '' ? [] : attempt(`${variable}=${file}`, () => readBundle(file));
  });
  const ofSystem = attempt("the system's store of root certificates", () => readStore(store));
  return { certificates: unique([...tls.rootCertificates, ...ofSystem, ...named]), problems };
}

function readStore({ platform, read, bundles: files }: SystemStore): string[] {
  // Node reads the folders that its own OpenSSL was built for, which no distribution has.
  if (platform !== 'win32' && platform !== 'darwin') return readFirst(files);
  if (read !== undefined) return read();
  throw new Error(
    `Node ${process.versions.node} cannot read it; use Node 22.15 or newer, or name a PEM file in SSL_CERT_FILE`,
  );
}

function readFirst(files: readonly string[]): string[] {
  for (const file of files) {
    try {
      return readBundle(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`there is none of ${files.join(', ')}; install the package ca-certificates`);
}

function readBundle(file: string): string[] {
  const certificates = readFileSync(file, 'utf8').match(
    /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g,
  );
  if (certificates === null) throw new Error(`${file} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)`);
  return certificates;
}

function unique(certificates: readonly string[]): string[] {
  return [...new Map(certificates.map((pem) => [pem.replace(/\s/g, ''), pem])).values()];
}
