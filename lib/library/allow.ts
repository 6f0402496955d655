import type { Effect } from '../command.ts';
import { NotAllowedError } from '../errors.ts';

/** Commands that a client may run. If both conditions are set, both apply. */
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

/** Checks that a command may run. @throws NotAllowedError if it may not */
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
