/**
 * What is said when no complete answer arrived, whichever transport carried the request.
 * Every function makes the error to throw; `host` is the host with its port, and no other part of an address.
 */
import { NetworkError, ResponseError, TimeoutError, TlsError } from '../errors.ts';
import { settingTitle } from '../settings/parameters.ts';
import { isOwn } from '../text/own.ts';

/** Limit of one answer where nobody says otherwise, in bytes after decompression. */
export const LARGEST_ANSWER = 100_000_000;

/** How far an exchange had come. */
export type Phase = 'connecting' | 'waiting' | 'reading';

const PHASES: Readonly<Record<Phase, string>> = {
  connecting: 'connecting to',
  waiting: 'waiting for the answer of',
  reading: 'reading the answer of',
};

const CHECK_ADDRESS = `Check the address and its port, and that this machine may reach it; behind a proxy, switch on ${settingTitle('proxy')}.`;

/** @param timeoutMs the time that was given, in milliseconds */
export function timedOut(host: string, phase: Phase, timeoutMs: number): TimeoutError {
  const hint = phase === 'connecting' ? CHECK_ADDRESS : 'Run it again with more time, or ask for less at once.';
  return new TimeoutError(`Timed out after ${timeoutMs / 1000} s while ${PHASES[phase]} ${host}.`, {
    sent: phase !== 'connecting',
    hint,
    retryable: true,
  });
}

export function refused(host: string): NetworkError {
  return new NetworkError(`${host} refused the connection.`, { sent: false, hint: CHECK_ADDRESS, retryable: true });
}

/** @param permanent the name service says that there is no such name, not merely that it cannot tell */
export function unknownName(host: string, permanent: boolean): NetworkError {
  return new NetworkError(`The host name of ${host} could not be resolved.`, {
    sent: false,
    hint: 'Check the spelling of the address, and the name service (DNS) of this machine.',
    retryable: !permanent,
  });
}

export function unreachable(host: string): NetworkError {
  return new NetworkError(`There is no route to ${host}.`, { sent: false, hint: CHECK_ADDRESS, retryable: true });
}

/**
 * No connection came about, for a reason of this machine or of the way: the service has seen nothing.
 * @param code the system's word for it
 */
export function notConnected(host: string, code: string): NetworkError {
  const hint = EXHAUSTED[code] ?? CHECK_ADDRESS;
  return new NetworkError(`No connection to ${host} could be opened (${code}).`, {
    sent: false,
    hint,
    retryable: true,
  });
}

const FILES = 'Too many files and connections are open: close other programs, or raise the limit (ulimit -n).';
const PORTS = 'This machine has no free port or no memory for another connection: close others, or try again later.';

/** What this machine has run out of. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  EMFILE: FILES,
  ENFILE: FILES,
  EADDRNOTAVAIL: PORTS,
  EADDRINUSE: PORTS,
  ENOBUFS: PORTS,
  ENOMEM: PORTS,
};

/** What only opening a connection fails of, however far it is known to have come. */
export function isExhausted(code: string): boolean {
  return isOwn(EXHAUSTED, code);
}

/** The connection ended before the answer began: whether the request was carried out is unknown. */
export function lostConnection(host: string): NetworkError {
  return new NetworkError(`The connection to ${host} was lost before the answer came.`, {
    hint: 'Run it again; if it happens every time, check firewalls and proxies on the way.',
    retryable: true,
  });
}

/** The answer began and did not end, or could not be decoded. */
export function brokenAnswer(host: string): NetworkError {
  return new NetworkError(`The answer of ${host} broke off before its end.`, {
    hint: 'Run it again; if it happens every time, check firewalls and proxies on the way.',
    retryable: true,
  });
}

/** @param maxBytes the limit, in bytes after decompression */
export function tooLarge(host: string, maxBytes: number): ResponseError {
  const size = maxBytes >= 1_000_000 ? `${maxBytes / 1_000_000} MB` : `${maxBytes} bytes`;
  return new ResponseError(`The answer of ${host} is larger than the limit of ${size}.`, {
    hint: 'Ask for less at once, with limit or a filter.',
  });
}

export function notHttp(host: string): NetworkError {
  return new NetworkError(`What ${host} answered is not HTTP.`, {
    hint: 'Check the port of the address, and whether it begins with https:// or http:// rightly.',
  });
}

/** @param code the system's word for it, when it gave one */
export function otherFailure(host: string, code: string | undefined): NetworkError {
  const known = code === undefined ? '' : ` (${code})`;
  return new NetworkError(`The request to ${host} failed${known}.`, { hint: CHECK_ADDRESS });
}

/** @param reason the rest of a sentence that begins with the host */
export function untrusted(host: string, reason: string): TlsError {
  return new TlsError(`${host} ${reason}.`, {
    sent: false,
    hint:
      'Add the authority that issued the certificate to those that this machine trusts ' +
      `(Node.js reads NODE_EXTRA_CA_CERTS). To accept any certificate, in a test only, switch on ${settingTitle('insecure')}.`,
  });
}
