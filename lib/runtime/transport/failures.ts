/**
 * Creates the errors for missing or incomplete responses, on every transport. Each function returns the error to throw;
 * `host` is host and port, without the rest of the address. `hint` replaces the hint for users of Node.
 */
import { NetworkError, ResponseError, TimeoutError, TlsError } from '../../core/errors.ts';
import { settingTitle } from '../../core/parameters.ts';
import { isOwn } from '../../core/text/own.ts';

/** Default limit of one response, in bytes after decompression. */
export const MAX_RESPONSE_BYTES = 100_000_000;

/** Progress of a request, for the message of a time-out. */
export type Phase = 'connecting' | 'waiting' | 'reading';

const PHASES: Readonly<Record<Phase, string>> = {
  connecting: 'connecting to',
  waiting: 'waiting for the response from',
  reading: 'reading the response from',
};

const PROXY = settingTitle('proxy');
const CHECK_ADDRESS = `Check the address and its port, and this machine's network; behind a proxy, turn on ${PROXY}.`;
const CHECK_NAME = 'Check the spelling of the address, and the name service (DNS) of this machine.';
const CHECK_SCHEME = 'Check the port of the address, and whether it needs https:// or http://.';
const CHECK_NETWORK = 'Run it again; if it happens every time, check the firewalls and proxies in between.';

/** Reports a time-out. @param timeoutMs the time limit of the request */
export function timedOut(host: string, phase: Phase, timeoutMs: number, hint = hintOf(phase)): TimeoutError {
  const seconds = Number((timeoutMs / 1000).toPrecision(3));
  return new TimeoutError(`Timed out after ${seconds} s while ${PHASES[phase]} ${host}.`, {
    sent: phase !== 'connecting',
    hint,
    retryable: true,
  });
}

function hintOf(phase: Phase): string {
  return phase === 'connecting' ? CHECK_ADDRESS : 'Run it again with more time, or request less data.';
}

/** Reports a refused connection: nothing was sent. */
export function refused(host: string, hint = CHECK_ADDRESS): NetworkError {
  return new NetworkError(`${host} refused the connection.`, { sent: false, hint, retryable: true });
}

/** Reports a failed name resolution. @param permanent true if the name does not exist; false if the name service failed */
export function unknownName(host: string, permanent: boolean, hint = CHECK_NAME): NetworkError {
  const message = `The host name of ${host} could not be resolved.`;
  return new NetworkError(message, { sent: false, hint, retryable: !permanent });
}

/** Reports a missing route: nothing was sent. */
export function unreachable(host: string, hint = CHECK_ADDRESS): NetworkError {
  return new NetworkError(`There is no route to ${host}.`, { sent: false, hint, retryable: true });
}

/**
 * Reports a connection that could not be opened: the service has not received anything.
 * @param code the system's error code
 */
export function notConnected(host: string, code: string): NetworkError {
  const hint = EXHAUSTED[code] ?? CHECK_ADDRESS;
  const message = `The connection to ${host} could not be opened (${code}).`;
  return new NetworkError(message, { sent: false, hint, retryable: true });
}

const FILES = 'Too many files and connections are open: close other programs, or raise the limit (ulimit -n).';
const PORTS = 'This machine has no free port or no memory for another connection: close others, or try again later.';

/** System error codes for exhausted resources of this machine. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  EMFILE: FILES,
  ENFILE: FILES,
  EADDRNOTAVAIL: PORTS,
  EADDRINUSE: PORTS,
  ENOBUFS: PORTS,
  ENOMEM: PORTS,
};

/** Returns true for a code that occurs only while a connection is opened, whatever the recorded phase. */
export function isExhausted(code: string): boolean {
  return isOwn(EXHAUSTED, code);
}

/** Reports a connection that ended before the response began: the request may have been carried out. */
export function lostConnection(host: string, hint = CHECK_NETWORK): NetworkError {
  return new NetworkError(`The connection to ${host} was lost before the response arrived.`, { hint, retryable: true });
}

/** Reports a response that ended early, or could not be decompressed. */
export function incompleteResponse(host: string): NetworkError {
  return new NetworkError(`The response from ${host} is incomplete.`, { hint: CHECK_NETWORK, retryable: true });
}

/** Reports a response above the limit. @param maxBytes the limit, after decompression */
export function tooLarge(host: string, maxBytes: number): ResponseError {
  const size = maxBytes >= 1_000_000 ? `${maxBytes / 1_000_000} MB` : `${maxBytes} bytes`;
  return new ResponseError(`The response from ${host} is larger than the limit of ${size}.`, {
    hint: 'Request less data, with limit or a filter.',
  });
}

/** Reports a server that does not speak HTTP on this port. */
export function notHttp(host: string): NetworkError {
  return new NetworkError(`The response from ${host} is not HTTP.`, { hint: CHECK_SCHEME });
}

/** Reports any other failure. @param code the system's error code, if there is one */
export function otherFailure(host: string, code: string | undefined): NetworkError {
  const suffix = code === undefined ? '' : ` (${code})`;
  return new NetworkError(`The request to ${host} failed${suffix}.`, { hint: CHECK_ADDRESS });
}

/** Reports a server that does not use TLS although the address asks for it. */
export function notTls(host: string): TlsError {
  return new TlsError(`${host} does not use TLS on this port.`, { hint: CHECK_SCHEME });
}

/** Reports an untrusted certificate. @param reason completes a sentence that begins with the host */
export function untrusted(host: string, reason: string): TlsError {
  return new TlsError(`${host} ${reason}.`, {
    sent: false,
    hint:
      'Add the authority that issued the certificate to those that this machine trusts (Node.js reads ' +
      `NODE_EXTRA_CA_CERTS). To accept any certificate, in a test only, turn on ${settingTitle('insecure')}.`,
  });
}
