/**
 * A request did not reach its host, or was not allowed to go there. The message names the host,
 * the proxy that it went through, and what to do; it never holds a password or a key.
 */
export class NetError extends Error {
  /** Whether another try may help: not where a setting or a certificate has to change first. */
  readonly passing: boolean;

  constructor(message: string, passing: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NetError';
    this.passing = passing;
  }
}

/** Whom a connection was for. */
export interface Peer {
  /** As a message names it: the host with its port, or the proxy. */
  name: string;
  /** What to do where it cannot be reached. */
  advice: string;
}

/** A name that is unknown, a port that nobody listens at, a network that is down. */
const unreached: Record<string, string> = {
  ENOTFOUND: 'has a name that is not known here',
  EAI_AGAIN: 'has a name that cannot be looked up now',
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'closed the connection',
  EHOSTUNREACH: 'cannot be reached from this network',
  ENETUNREACH: 'cannot be reached from this network',
  ETIMEDOUT: 'did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'did not answer in time',
};

/** What TLS finds wrong with a certificate that may be in order elsewhere. */
const untrusted = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const wrongCertificate: Record<string, string> = {
  CERT_HAS_EXPIRED: 'has expired, or the clock of this computer is wrong',
  CERT_NOT_YET_VALID: 'is not valid yet, or the clock of this computer is wrong',
  CERT_REVOKED: 'was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name; correct the address',
};

/** Why a connection could not be made, in words. */
export function connectFailure(peer: Peer, error: unknown): NetError {
  const reason = firstReason(error);
  const code = codeOf(reason);
  const tell = (text: string, passing: boolean) => new NetError(`${peer.name} ${text}`, passing, { cause: reason });
  if (untrusted.has(code)) {
    return tell(
      `has a certificate that this computer does not trust (${code}); where the network inspects what passes it, add its root certificate to the system's store, or name its PEM file in SSL_CERT_FILE`,
      false,
    );
  }
  const certificate = wrongCertificate[code];
  if (certificate !== undefined) return tell(`has a certificate that ${certificate} (${code})`, false);
  if (/^(EPROTO|ERR_SSL_)/.test(code)) {
    return tell(
      `does not speak TLS as it should (${code}); where it is meant to speak plain HTTP, write http://`,
      false,
    );
  }
  const state = unreached[code];
  if (state !== undefined) return tell(`${state} (${code}); ${peer.advice}`, true);
  return tell(`cannot be reached: ${messageOf(reason)}; ${peer.advice}`, code !== '');
}

/** What broke after the connection was there; `via` names the proxy, if there was one. */
export function requestFailure(error: unknown, via: string): NetError {
  const reason = firstReason(error);
  return new NetError(`${messageOf(reason)}${via}`, codeOf(reason) !== '', { cause: reason });
}

/** The innermost reason; of several addresses that were tried, the first one's. */
function firstReason(error: unknown): unknown {
  let reason = error;
  while (reason instanceof Error && !(reason instanceof AggregateError) && reason.cause instanceof Error) {
    reason = reason.cause;
  }
  return reason instanceof AggregateError && reason.errors.length > 0 ? reason.errors[0] : reason;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
