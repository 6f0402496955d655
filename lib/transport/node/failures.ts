/**
 * What connections of Node throw, as errors of this project. Nothing of the original is kept: its causes hold the request and its headers.
 */
import { AisecError, type NetworkError, ProxyError, TlsError } from '../../errors.ts';
import {
  brokenAnswer,
  isExhausted,
  lostConnection,
  notConnected,
  notHttp,
  otherFailure,
  type Phase,
  refused,
  unknownName,
  unreachable,
  untrusted,
} from '../failures.ts';

/**
 * @param host host and port of the service
 * @returns the error to throw instead
 */
export function explain(thrown: unknown, host: string, phase: Phase): AisecError {
  if (thrown instanceof AisecError) return thrown;
  const { own, code } = root(thrown);
  if (own !== undefined) return own;
  return named(host, code) ?? (phase === 'reading' ? brokenAnswer(host) : byCode(host, code, callOf(thrown)));
}

/** System calls on a connection that is open: the service may have the request. */
const OPEN_CALLS = ['read', 'write', 'shutdown'];

/** @param call what the system was asked for, where it says */
function byCode(host: string, code: string | undefined, call: string | undefined): NetworkError {
  if (code === undefined || OPEN_CALLS.includes(call ?? '')) return lost(host, code);
  switch (code) {
    case 'ECONNREFUSED':
      return refused(host);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return unknownName(host, code === 'ENOTFOUND');
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return unreachable(host);
    default:
      return call !== undefined || isExhausted(code) ? notConnected(host, code) : lost(host, code);
  }
}

function lost(host: string, code: string | undefined): NetworkError {
  switch (code) {
    case 'ECONNRESET':
    case 'ECONNABORTED':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EPIPE':
    case 'ETIMEDOUT':
      return lostConnection(host);
    default:
      return otherFailure(host, code);
  }
}

/** Failures with a name of their own, whatever the phase. */
function named(host: string, code: string | undefined): NetworkError | undefined {
  if (code?.startsWith('HPE_')) return notHttp(host);
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO') {
    return new TlsError(`${host} does not speak TLS on this port.`, {
      hint: 'Check the port of the address, and whether it begins with https:// rightly.',
    });
  }
  return code !== undefined && TLS_CODE.test(code)
    ? untrusted(host, CERTIFICATE[code] ?? `failed the TLS check (${code})`)
    : undefined;
}

// What OpenSSL and Node call their certificate and handshake failures.
const TLS_CODE =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_)/;
const UNKNOWN_AUTHORITY = 'has a certificate of an authority that this machine does not know';

const CERTIFICATE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that it signed itself',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet',
  CERT_REVOKED: 'has a certificate that was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another host name',
};

/** @param target host and port that the proxy was asked to connect to */
export function proxyAnswered(proxy: string, target: string, status: number): ProxyError {
  if (status === 407) {
    return new ProxyError(`The proxy ${proxy} asks for credentials, or does not accept those it got (407).`, {
      sent: false,
      hint: 'Write them into the variable that names it (HTTPS_PROXY or HTTP_PROXY): http://user:password@host:port.',
    });
  }
  return new ProxyError(`The proxy ${proxy} does not connect to ${target}: it answered ${status}.`, {
    sent: false,
    hint: 'Ask those who run the proxy to allow this host, or exempt it with NO_PROXY.',
    retryable: status >= 500,
  });
}

export function proxyFailed(proxy: string, thrown: unknown): ProxyError {
  const { code } = root(thrown);
  const tls = code !== undefined && TLS_CODE.test(code);
  const what = tls ? 'has no certificate to be trusted' : (PROXY[code ?? 'ECONNRESET'] ?? 'cannot be used');
  return new ProxyError(`The proxy ${proxy} ${what}${code === undefined ? '' : ` (${code})`}.`, {
    sent: false,
    hint: 'Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and that the proxy runs.',
    retryable: !tls,
  });
}

const PROXY: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ENOTFOUND: 'has a host name that could not be resolved',
  EAI_AGAIN: 'has a host name that could not be resolved',
  ECONNRESET: 'closed the connection',
};

/** Of attempts at several addresses, the one that all of them failed of. */
function callOf(thrown: unknown, depth = 0): string | undefined {
  const own = member(thrown, 'syscall');
  if (typeof own === 'string') return own;
  const errors = member(thrown, 'errors');
  const inner: readonly unknown[] = Array.isArray(errors) ? errors : [member(thrown, 'cause')];
  const [call, ...others] = depth < 5 && inner[0] !== undefined ? inner.map((each) => callOf(each, depth + 1)) : [];
  return others.every((other) => other === call) ? call : undefined;
}

interface Root {
  /** An error of this project that travelled inside. */
  own?: AisecError;
  code: string | undefined;
}

/** The innermost failure that says something: an attempt at several addresses wraps those of each. */
function root(thrown: unknown, depth = 0): Root {
  const code = member(thrown, 'code');
  if (thrown instanceof AisecError) return { own: thrown, code: thrown.code };
  const inner = member(thrown, 'cause') ?? firstOf(member(thrown, 'errors'));
  if (inner !== undefined && typeof code !== 'string' && depth < 5) return root(inner, depth + 1);
  return { code: typeof code === 'string' ? code : undefined };
}

// Errors of the system come from another realm under some hosts, so their class says nothing.
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}
