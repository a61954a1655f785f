import { NetError } from './failures.ts';
import { bypassesProxy, isLoopback, proxiesLoopback } from './hosts.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy that the environment names. */
export interface ProxySetting {
  /** Without name and password. */
  url: URL;
  /** Value of Proxy-Authorization where the address holds a name. */
  authorization: string | undefined;
  /** Variable that names it. */
  variable: string;
}

/** Variables that name the proxy for a protocol, the first that has a value counts. */
const variables: Record<string, readonly string[]> = {
  'https:': ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'],
  'http:': ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'],
};

/**
 * The proxy for requests to an URL: that of HTTPS_PROXY or HTTP_PROXY by the URL's protocol,
 * else of ALL_PROXY, small letters first, unless NO_PROXY names the host. This computer's own
 * addresses have none, unless NO_PROXY holds `<-loopback>`. Throws a {@link NetError} that
 * names the variable whose value is no proxy's address, and does not show the value.
 */
export function proxyFor(url: URL, env: Environment): ProxySetting | undefined {
  const variable = variables[url.protocol]?.find((name) => setting(env, name) !== '');
  if (variable === undefined) return undefined;
  const noProxy = setting(env, 'no_proxy') || setting(env, 'NO_PROXY');
  if (isLoopback(url.hostname) && !proxiesLoopback(noProxy)) return undefined;
  return bypassesProxy(url, noProxy) ? undefined : parse(setting(env, variable), variable);
}

function setting(env: Environment, name: string): string {
  return env[name]?.trim() ?? '';
}

function parse(value: string, variable: string): ProxySetting {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  // The error of `new URL` would hold the value, and with it the password.
  if (!URL.canParse(text)) throw unusable(variable);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new NetError(
      `${variable} names a proxy of the kind ${url.protocol}//, and only http:// and https:// are supported`,
      false,
    );
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') throw unusable(variable);
  const authorization = authorizationOf(url);
  url.username = '';
  url.password = '';
  return { url, authorization, variable };
}

function unusable(variable: string): NetError {
  return new NetError(
    `${variable} is not the address of a proxy, as http://proxy.example:3128 or http://NAME:PASSWORD@proxy.example:3128 (write special characters of a password as %23, %2F, %3F, %40)`,
    false,
  );
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`;
}

/** A lone `%` stands for itself. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}
