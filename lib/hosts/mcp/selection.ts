/** Decides which commands an agent can reach, and which of them are tools under their own names. */

import { type Allow, fits } from '../../client/allow.ts';
import { UsageError } from '../../core/errors.ts';
import { TOOLSETS_HINT, toolset, wordsOf } from '../../manifest/toolsets.ts';

/** The commands that agents use most; they are tools by default. */
const EVERYDAY = ['aisec-runtime-scan', 'aisec-runtime-profiles-list', 'aisec-redteam-targets-list'];

export interface SelectionOptions {
  /** Toolsets, separated by commas. */
  readonly toolsets?: string | undefined;
  /** Names of commands, separated by commas; `*` stands for any characters. */
  readonly tools?: string | undefined;
  readonly readOnly: boolean;
}

export interface Selection {
  /** The commands that the client of the library may run; all others are out of reach. */
  readonly allow: Allow;
  /** Commands under their own names, as far as `allow` permits them. */
  readonly named: readonly string[];
}

/**
 * Selects commands.
 * @param names of all commands
 * @throws UsageError for an unknown toolset, or a pattern that fits no command
 */
export function selectionOf({ toolsets, tools, readOnly }: SelectionOptions, names: readonly string[]): Selection {
  if (toolsets === undefined && tools === undefined) return { allow: { readOnly }, named: EVERYDAY };
  const chosen = new Set([
    ...wordsOf(toolsets).flatMap((word) => names.filter(toolset(word))),
    ...wordsOf(tools).flatMap((word) => fitting(word, names)),
  ]);
  if (chosen.size === 0) throw new UsageError('No tool is named.', { hint: TOOLSETS_HINT });
  const named = names.filter((name) => chosen.has(name));
  return { allow: { readOnly, commands: named }, named };
}

function fitting(word: string, names: readonly string[]): readonly string[] {
  const found = names.filter((name) => fits(word, name));
  if (found.length === 0) throw new UsageError(`No command fits "${word.slice(0, 60)}".`, { hint: TOOLSETS_HINT });
  return found;
}
