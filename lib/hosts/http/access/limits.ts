/** Limits of a caller, by its role and toolsets. */
import type { Allow } from '../../../client/allow.ts';
import type { CommandEntry } from '../../../manifest/command-catalogue.ts';
import { mayRun, type RoleFacts } from '../../../manifest/roles.ts';
import { toolset } from '../../../manifest/toolsets.ts';
import type { Caller } from './token-entries.ts';

export interface CallerLimits {
  readonly allow: Allow;
  /** Masks secrets that the service returns only once. */
  readonly hideSecrets: boolean;
}

/** The part of a catalogue entry that decides what a role may run. */
export type Limited = RoleFacts & Pick<CommandEntry, 'name'>;

/** Returns the limits of a caller. @throws UsageError for an unknown toolset */
export function limitsOf({ role, toolsets }: Caller, catalogue: readonly Limited[]): CallerLimits {
  const sets = (toolsets ?? ['all']).map(toolset);
  const commands = catalogue
    .filter((entry) => mayRun(role, entry) && sets.some((has) => has(entry.name)))
    .map(({ name }) => name);
  return { allow: { commands }, hideSecrets: role !== 'admin' };
}
