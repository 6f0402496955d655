/** Converts role and toolsets of a caller to what it may run and see. */
import type { Allow } from '../../../library/allow.ts';
import { toolset } from '../../../library/toolsets.ts';
import type { CommandEntry } from '../../../manifest/command-catalogue.ts';
import type { Caller, Role } from './token-entries.ts';

export interface CallerLimits {
  readonly allow: Allow;
  /** Masks secrets that the service returns only once. */
  readonly hideSecrets: boolean;
}

/** The part of a catalogue's entry that decides. */
export type Limited = Pick<CommandEntry, 'name' | 'effect' | 'annotations' | 'issuesSecret'>;

const MAY: Readonly<Record<Role, (entry: Limited) => boolean>> = {
  read: ({ effect, annotations, issuesSecret }) => effect === 'read' && !annotations.openWorldHint && !issuesSecret,
  operate: ({ effect, issuesSecret }) => effect !== 'delete' && !issuesSecret,
  admin: () => true,
};

/** Returns the limits of a caller. @throws UsageError for an unknown toolset */
export function limitsOf({ role, toolsets }: Caller, catalogue: readonly Limited[]): CallerLimits {
  const sets = (toolsets ?? ['all']).map(toolset);
  const commands = catalogue
    .filter((entry) => MAY[role](entry) && sets.some((has) => has(entry.name)))
    .map(({ name }) => name);
  return { allow: { commands }, hideSecrets: role !== 'admin' };
}
