import { NotAllowedError } from '../core/errors.ts';
import type { Effect } from '../core/runtime.ts';
import type { CommandEntry } from '../manifest/command-catalogue.ts';
import type { Command } from '../runtime/engine/command.ts';

/** Commands that a client may run. If several conditions are set, all of them apply. */
export interface Allow {
  /** Names of commands; `*` matches any characters. */
  readonly commands?: readonly string[] | undefined;
  readonly effects?: readonly Effect[] | undefined;
  /** Allow only commands that change nothing in the tenant: reads, and repeatable runs such as a prompt scan. */
  readonly readOnly?: boolean | undefined;
}

/** The part of a declaration that the decision depends on. */
export type Permitted = Pick<Command, 'name' | 'effect' | 'repeatable'>;

/** Reports whether a command changes nothing in the tenant. */
export function changesNothing({ effect, repeatable }: Permitted): boolean {
  return effect === 'read' || (effect === 'run' && repeatable === true);
}

/** Reports whether a command may run. */
export function allows({ commands, effects, readOnly }: Allow, command: Permitted): boolean {
  const { name, effect } = command;
  const isNamed = commands === undefined || commands.some((pattern) => fits(pattern, name));
  return (
    isNamed && (effects === undefined || effects.includes(effect)) && (readOnly !== true || changesNothing(command))
  );
}

/** Reports whether the command of an entry may run. */
export function allowsEntry(allow: Allow, { name, effect, annotations }: CommandEntry): boolean {
  return allows(allow, { name, effect, repeatable: annotations.idempotentHint });
}

/** Checks that a command may run. @throws NotAllowedError if the command may not run */
export function checkAllowed(allow: Allow, command: Permitted): void {
  if (allows(allow, command)) return;
  const { name } = command;
  throw new NotAllowedError(`${name} is not allowed for this client.`, {
    command: name,
    hint: 'Its creator decides which commands and effects it may run (allow).',
  });
}

/** Reports whether a pattern matches the name of a command; `*` matches any characters. */
export function fits(pattern: string, name: string): boolean {
  const plain = pattern.replace(/^!/, '');
  if (!plain.includes('*')) return plain === name;
  const parts = plain.split('*').map((part) => part.replace(/[^\w-]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}
