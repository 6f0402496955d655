/** Decides which commands an agent can reach, and which of them have their own tools. */

import { type Allow, allows, changesNothing, fits } from '../../client/allow.ts';
import { NotAllowedError, UsageError } from '../../core/errors.ts';
import type { Catalogue } from '../../manifest/catalogue.ts';
import { commaWords, TOOLSETS_HINT, toolset } from '../../manifest/toolsets.ts';
import { suggest } from '../../runtime/arguments/suggest.ts';
import { type Command, findCommand, type Registry, unknownCommand } from '../../runtime/engine/command.ts';
import { plain } from './content.ts';
import { search } from './search.ts';

/** The commands that agents use most; they are tools by default. */
const EVERYDAY = ['aisec-runtime-scan', 'aisec-runtime-profiles-list', 'aisec-redteam-targets-list'];

export interface SelectionOptions {
  /** Toolsets, separated by commas. */
  readonly toolsets?: string | undefined;
  /** Names of commands, separated by commas; `*` matches any characters. */
  readonly tools?: string | undefined;
  readonly readOnly: boolean;
}

export interface Selection {
  /** Commands that the library client may run; all others are out of reach. */
  readonly allow: Allow;
  /** Commands with their own tools, if `allow` permits them. */
  readonly named: readonly string[];
}

/**
 * Selects commands.
 * @param names of all commands
 * @throws UsageError for an unknown toolset, or a pattern that matches no command
 */
export function selectionOf({ toolsets, tools, readOnly }: SelectionOptions, names: readonly string[]): Selection {
  if (toolsets === undefined && tools === undefined) return { allow: { readOnly }, named: EVERYDAY };
  const chosen = new Set([
    ...commaWords(toolsets).flatMap((word) => names.filter(toolset(word))),
    ...commaWords(tools).flatMap((word) => fitting(word, names)),
  ]);
  if (chosen.size === 0) throw new UsageError('No tool is named.', { hint: TOOLSETS_HINT });
  const named = names.filter((name) => chosen.has(name));
  return { allow: { readOnly, commands: named }, named };
}

function fitting(word: string, names: readonly string[]): readonly string[] {
  const found = names.filter((name) => fits(word, name));
  if (found.length === 0) throw new UsageError(`No command matches "${word.slice(0, 60)}".`, { hint: TOOLSETS_HINT });
  return found;
}

/** Number of similar names suggested for an unknown name. */
const MAX_NEAR = 3;

/** The settings that decide which commands are reachable. */
export interface Reach {
  readonly registry: Registry;
  readonly selection: Selection;
  readonly catalogue: () => Promise<Catalogue>;
}

const lists = new WeakMap<Selection, Catalogue>();

/** Lists the commands within reach. */
export async function allWithin({ catalogue, selection }: Omit<Reach, 'registry'>): Promise<Catalogue> {
  const list = lists.get(selection) ?? (await catalogue()).filter((info) => allows(selection.allow, info));
  // Return the same list each time, so that its index is built once.
  lists.set(selection, list);
  return list;
}

/** Finds a command within reach. @returns undefined for any other name */
export async function findReachable(
  { registry, selection }: Omit<Reach, 'catalogue'>,
  name: string,
): Promise<Command | undefined> {
  const command = await findCommand(registry, name);
  return command !== undefined && allows(selection.allow, command) ? command : undefined;
}

/** Finds a command that the agent may run. @throws UsageError for an unknown name, NotAllowedError for a command out of reach */
export async function reachable(reach: Reach, name: string): Promise<Command> {
  const { registry, selection } = reach;
  const word = name.trim().replace(/^!/, '');
  const command = await findCommand(registry, word);
  if (command === undefined) {
    const near = await nearNames(reach, word);
    throw unknownCommand(plain(word).slice(0, 60), near, 'Find a command with aisec_search.');
  }
  if (allows(selection.allow, command)) return command;
  const isClosed = selection.allow.readOnly === true && !changesNothing(command);
  throw new NotAllowedError(`${command.name} is disabled on this server.`, {
    command: command.name,
    hint: isClosed
      ? 'The server was started with --read-only: nothing in the tenant can be changed.'
      : 'Ask the person who started the server: --toolsets and --tools decide.',
  });
}

/** Suggests reachable commands that are spelled like a word, or that match its meaning. */
async function nearNames(reach: Reach, word: string): Promise<string | undefined> {
  const within = await allWithin(reach);
  const spelled = suggest(
    word,
    within.map(({ name }) => name),
  );
  const meant = search(word, within).map(({ name }) => name);
  const near = [...new Set([...(spelled === undefined ? [] : [spelled]), ...meant])].slice(0, MAX_NEAR);
  if (near.length === 0) return undefined;
  return `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}? Or find another with aisec_search.`;
}
