import type { Allow } from '../../../library/allow.ts';
import type { CommandEntry } from '../../../manifest/command-catalogue.ts';
import type { Caller } from './authenticate.ts';
export function limitsOf(
  { role }: Caller,
  _catalogue: readonly CommandEntry[],
): { allow: Allow; hideSecrets: boolean } {
  return { allow: role === 'admin' ? {} : { effects: ['read'] }, hideSecrets: role !== 'admin' };
}
