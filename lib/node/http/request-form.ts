/** Rejects requests that two readers may understand differently: those that name two hosts, or have an unusual encoding. */
import type { IncomingMessage } from 'node:http';
import { claimsUtf8 } from '../../core/text/charset.ts';

/** Maximum headers of a request; Node silently drops the rest. */
const MAX_HEADERS = 2000;

/** Header limit for Node's server, high enough to notice a request with too many headers. */
export const HEADERS_READ = MAX_HEADERS + 1;

export interface FormProblem {
  readonly status: 400 | 415 | 421 | 431;
  readonly message: string;
  readonly hint: string;
}

/** Returns the problem with a request's headers or target. */
export function formProblem({ rawHeaders, url = '', headers }: IncomingMessage): FormProblem | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return { status: 431, message: `The request has more than ${MAX_HEADERS} headers.`, hint: 'Send fewer headers.' };
  }
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) return { status: 400, message: 'The request has several Host headers.', hint: 'Send one.' };
  const authority = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (authority === undefined || authority.toLowerCase() === headers.host?.toLowerCase()) return undefined;
  return { status: 421, message: 'The target of the request has another host.', hint: 'Send the path only.' };
}

/** Returns the problem with a JSON body's charset or encoding. */
export function codingProblem(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): FormProblem | undefined {
  if (!claimsUtf8(String(headers['content-type'] ?? '')))
    return { status: 415, message: 'The body is not UTF-8.', hint: 'Send UTF-8.' };
  const coding = String(headers['content-encoding'] ?? 'identity');
  if (coding.toLowerCase() === 'identity') return undefined;
  return { status: 415, message: 'The body has a Content-Encoding.', hint: 'Send it as it is.' };
}

/** Decodes UTF-8. @returns undefined for other bytes */
export function decodedUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
