import type { Effect } from '../command.ts';
import { NotAllowedError } from '../errors.ts';

/** What a client may run at all. Both conditions hold where both are set. */
export interface Allow {
  /** Names of commands; `*` stands for any characters. */
  readonly commands?: readonly string[] | undefined;
  readonly effects?: readonly Effect[] | undefined;
}

/** Tells whether a command may run. */
export function allows({ commands, effects }: Allow, name: string, effect: Effect): boolean {
  const isNamed = commands === undefined || commands.some((pattern) => matches(pattern.replace(/^!/, ''), name));
  return isNamed && (effects === undefined || effects.includes(effect));
}

/** @throws NotAllowedError when the command may not run */
export function checkAllowed(allow: Allow, name: string, effect: Effect): void {
  if (allows(allow, name, effect)) return;
  throw new NotAllowedError(`${name} is not allowed for this client.`, {
    command: name,
    hint: 'Its creator decides which commands and effects it may run (allow).',
  });
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[^\w-]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}
