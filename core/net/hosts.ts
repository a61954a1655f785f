import { BlockList, isIP, isIPv6 } from 'node:net';

/** Addresses that never leave this computer; the unspecified ones reach it as well. */
const ownAddresses = new BlockList();
ownAddresses.addSubnet('127.0.0.0', 8, 'ipv4');
ownAddresses.addAddress('0.0.0.0', 'ipv4');
ownAddresses.addAddress('::1', 'ipv6');
ownAddresses.addAddress('::', 'ipv6');

/** Whether a host, as an URL's `hostname` has it, is this computer itself. */
export function isLoopback(hostname: string): boolean {
  const host = plainHost(hostname);
  if (isIP(host) !== 0) return ownAddresses.check(host, family(host));
  return host === 'localhost' || host.endsWith('.localhost');
}

/**
 * Whether NO_PROXY sends requests to an URL past the proxy. Its entries stand between commas or
 * blanks: `*` for every host, `name` and `.name` for the name and all under it (`*.name` too),
 * an address, a range as `10.0.0.0/8`; each may end with `:port`. Names are not looked up.
 */
export function bypassesProxy(url: URL, noProxy: string): boolean {
  const host = plainHost(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return entriesOf(noProxy).some((entry) => matches(entry, host, port));
}

/** The entry by which NO_PROXY lets this computer's own addresses be asked through the proxy too, as in Chromium. */
const subtractsLoopback = '<-loopback>';

export function proxiesLoopback(noProxy: string): boolean {
  return entriesOf(noProxy).includes(subtractsLoopback);
}

function entriesOf(noProxy: string): string[] {
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [pattern, onlyPort] = splitPort(entry);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(host) !== 0) return matchesAddress(pattern, host);
  const name = pattern.replace(/^\*?\./, '').replace(/\.$/, '');
  return name !== '' && (host === name || host.endsWith(`.${name}`));
}

function splitPort(entry: string): [pattern: string, port: string | undefined] {
  const bracketed = /^\[(.+)\](?::(\d+))?$/.exec(entry);
  if (bracketed !== null) return [bracketed[1] as string, bracketed[2]];
  // An IPv6 address without brackets has colons of its own.
  if (isIPv6(entry.split('/')[0] as string)) return [entry, undefined];
  const [, pattern = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return [pattern, port];
}

function matchesAddress(pattern: string, host: string): boolean {
  const [address = '', prefix] = pattern.split('/');
  if (isIP(address) === 0) return false;
  const list = new BlockList();
  if (prefix === undefined) {
    list.addAddress(address, family(address));
  } else {
    const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (!(bits <= (isIPv6(address) ? 128 : 32))) return false;
    list.addSubnet(address, bits, family(address));
  }
  return list.check(host, family(host));
}

function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
