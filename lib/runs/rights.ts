/** Decides which results an owner may use, by the commands that they came from. */
import { allowsEntry, checkAllowed } from '../client/allow.ts';
import type { CommandEntry } from '../manifest/command-catalogue.ts';
import type { Run, RunOwner } from './port.ts';

type OwnLimits = RunOwner['limits'];

/** Returns a check by the name of a command. Without a declaration the answer is no. */
export function permits({ allow }: OwnLimits, catalogue: readonly CommandEntry[]): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    if (allow === undefined) return true;
    const entry = catalogue.find((each) => each.name === name);
    const found = known.get(name) ?? (entry !== undefined && allowsEntry(allow, entry));
    known.set(name, found);
    return found;
  };
}

/**
 * Returns the first command of a run that the check refuses; undefined: the run may be used. A run that cannot be read has no
 * command, and no content either.
 */
export function refusedIn(
  { state, command, uses = state === 'unreadable' ? [] : [command] }: Run,
  mayUse: (name: string) => boolean,
): string | undefined {
  return uses.find((name) => !mayUse(name));
}

/** Checks that an owner may run commands; unknown names are left to the dispatcher. @throws NotAllowedError */
export function checkRights({ allow }: OwnLimits, names: readonly string[], catalogue: readonly CommandEntry[]): void {
  if (allow === undefined) return;
  for (const name of names) {
    const entry = catalogue.find((each) => each.name === name);
    if (entry === undefined) continue;
    const { effect, annotations } = entry;
    checkAllowed(allow, { name, effect, repeatable: annotations.idempotentHint });
  }
}
