/** Decides which results an owner may use, depending on the commands that produced them. */
import { allowsEntry, checkAllowed } from '../client/allow.ts';
import type { CommandEntry } from '../manifest/command-catalogue.ts';
import type { Run, RunOwner } from './port.ts';

type OwnLimits = RunOwner['limits'];

/** Returns a check by command name. Commands without a declaration are refused. */
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
 * Returns the first command of a run that the check refuses; undefined if the run may be used. An unreadable run has no
 * commands, and no content either.
 */
export function refusedIn(
  { state, command, uses = state === 'unreadable' ? [] : [command] }: Run,
  mayUse: (name: string) => boolean,
): string | undefined {
  return uses.find((name) => !mayUse(name));
}

/** Checks that an owner may run commands; the dispatcher handles unknown names. @throws NotAllowedError */
export function checkRights({ allow }: OwnLimits, names: readonly string[], catalogue: readonly CommandEntry[]): void {
  if (allow === undefined) return;
  for (const name of names) {
    const entry = catalogue.find((each) => each.name === name);
    if (entry === undefined) continue;
    const { effect, annotations } = entry;
    checkAllowed(allow, { name, effect, repeatable: annotations.idempotentHint });
  }
}
