/**
 * Translates errors of Node's connections into the errors of this project. The original is dropped: its causes hold the
 * request and its headers.
 */
import { AisecError, type NetworkError, ProxyError } from '../../core/errors.ts';
import {
  incompleteResponse,
  isExhausted,
  lostConnection,
  notConnected,
  notHttp,
  notTls,
  otherFailure,
  type Phase,
  refused,
  unknownName,
  unreachable,
  untrusted,
} from '../../runtime/transport/failures.ts';

/**
 * Translates any failure of a request.
 * @param host host and port of the service
 * @returns the error to throw instead
 */
export function explain(thrown: unknown, host: string, phase: Phase): AisecError {
  if (thrown instanceof AisecError) return thrown;
  const { own, code } = root(thrown);
  if (own !== undefined) return own;
  return named(host, code) ?? (phase === 'reading' ? incompleteResponse(host) : byCode(host, code, callOf(thrown)));
}

/** System calls on an open connection: the service may have received the request. */
const OPEN_CALLS = ['read', 'write', 'shutdown'];

/** Failures to open a connection. */
const UNOPENED = new Map([
  ['ECONNREFUSED', refused],
  ['ENOTFOUND', (host: string) => unknownName(host, true)],
  ['EAI_AGAIN', (host: string) => unknownName(host, false)],
  ['EHOSTUNREACH', unreachable],
  ['ENETUNREACH', unreachable],
]);

/** Failures that end an open connection. */
const LOST = ['ECONNRESET', 'ECONNABORTED', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'ETIMEDOUT'];

/** Translates a system error. @param call the name of the system call that failed, if known */
function byCode(host: string, code: string | undefined, call: string | undefined): NetworkError {
  const isUnopened = code !== undefined && !OPEN_CALLS.includes(call ?? '');
  const unopened = isUnopened ? UNOPENED.get(code)?.(host) : undefined;
  if (unopened !== undefined) return unopened;
  if (isUnopened && (call !== undefined || isExhausted(code))) return notConnected(host, code);
  return LOST.includes(code ?? '') ? lostConnection(host) : otherFailure(host, code);
}

/** Translates codes that mean the same in every phase. */
function named(host: string, code: string | undefined): NetworkError | undefined {
  if (code?.startsWith('HPE_')) return notHttp(host);
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO') return notTls(host);
  return code !== undefined && TLS_CODE.test(code)
    ? untrusted(host, CERTIFICATE[code] ?? `failed the TLS check (${code})`)
    : undefined;
}

// Prefixes of the codes of OpenSSL and Node for failures of certificate and handshake.
const TLS_CODE =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_)/;
const UNKNOWN_AUTHORITY = 'has a certificate from an authority that this machine does not trust';

const CERTIFICATE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a self-signed certificate',
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

/** Reports a proxy that rejects the tunnel. @param target host and port behind the proxy */
export function proxyRefused(proxy: string, target: string, status: number): ProxyError {
  if (status === 407) {
    return new ProxyError(`The proxy ${proxy} requires credentials, or rejected them (407).`, {
      sent: false,
      hint: 'Add them to the proxy variable (HTTPS_PROXY or HTTP_PROXY): http://user:password@host:port.',
    });
  }
  const answer = Number.isNaN(status) ? 'its answer is not HTTP' : `it answered ${status}`;
  return new ProxyError(`The proxy ${proxy} does not connect to ${target}: ${answer}.`, {
    sent: false,
    hint: 'Ask the operator of the proxy to allow this host, or exempt it with NO_PROXY.',
    retryable: status >= 500,
  });
}

/** Reports a proxy that cannot be reached or trusted. */
export function proxyFailed(proxy: string, thrown: unknown): ProxyError {
  const { code } = root(thrown);
  const tls = code !== undefined && TLS_CODE.test(code);
  const what = tls ? 'has an untrusted certificate' : (PROXY[code ?? 'ECONNRESET'] ?? 'cannot be used');
  return new ProxyError(`The proxy ${proxy} ${what}${code === undefined ? '' : ` (${code})`}.`, {
    sent: false,
    hint: 'Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and that the proxy is running.',
    retryable: !tls,
  });
}

const PROXY: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ENOTFOUND: 'has a host name that could not be resolved',
  EAI_AGAIN: 'has a host name that could not be resolved',
  ECONNRESET: 'closed the connection',
};

/** Returns the name of the failed system call; after attempts at several addresses, the call that failed at every address. */
function callOf(thrown: unknown, depth = 0): string | undefined {
  const own = member(thrown, 'syscall');
  if (typeof own === 'string') return own;
  const errors = member(thrown, 'errors');
  const inner: readonly unknown[] = Array.isArray(errors) ? errors : [member(thrown, 'cause')];
  const [call, ...others] = depth < 5 && inner[0] !== undefined ? inner.map((each) => callOf(each, depth + 1)) : [];
  return others.every((other) => other === call) ? call : undefined;
}

interface Root {
  /** Finds an error of this project that was wrapped as a cause. */
  own?: AisecError;
  code: string | undefined;
}

/** Finds the innermost error with a code: attempts at several addresses wrap one error each. */
function root(thrown: unknown, depth = 0): Root {
  const code = member(thrown, 'code');
  if (thrown instanceof AisecError) return { own: thrown, code: thrown.code };
  const inner = member(thrown, 'cause') ?? firstOf(member(thrown, 'errors'));
  if (inner !== undefined && typeof code !== 'string' && depth < 5) return root(inner, depth + 1);
  return { code: typeof code === 'string' ? code : undefined };
}

// On some hosts, system errors come from another realm, where `instanceof` fails.
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}
