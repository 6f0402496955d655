import { createHash, timingSafeEqual } from 'node:crypto';
export interface Caller {
  readonly name: string;
  readonly role: 'read' | 'operate' | 'admin';
  readonly toolsets?: readonly string[];
  readonly profile?: string;
}
export type Outcome = { readonly caller: Caller } | { readonly problem: 'unknown' | 'expired' };
export type Authenticate = (token: string) => Promise<Outcome>;
const digest = (text: string) => createHash('sha256').update(text).digest();
export function authenticatorOf({
  once,
}: {
  clock: unknown;
  warn: unknown;
  file?: unknown;
  once?: { token: string; caller: Caller };
}): Authenticate {
  return async (token) =>
    once !== undefined && timingSafeEqual(digest(token), digest(once.token))
      ? { caller: once.caller }
      : { problem: 'unknown' };
}
