/** Completion of the command line, for the scripts of `aisec completion`. */

import { isPrintable } from '../../../../client/completion/known-values.ts';
import { aliasOf } from '../../../../client/names/aliases.ts';
import { spelledAs } from '../../../../client/names/command-name.ts';
import { commandAt, nextWords } from '../../../../client/names/spaced-name.ts';
import type { ArgumentInfo, Catalogue } from '../../../../manifest/catalogue.ts';
import type { Lookup } from '../../../../runtime/arguments/builders.ts';
import { type OptionTable, optionTable } from '../../line/options.ts';
import type { Subcommands } from '../../line/subcommand.ts';
import { GROUP_NAMES } from '../../result/command-groups.ts';
import { complete, completedArguments, type Known } from './completion.ts';
import { fieldTexts } from './field-completion.ts';

export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

export interface Candidates {
  readonly values: readonly Candidate[];
  /** The shell completes a path. */
  readonly files?: boolean;
}

export interface Offers {
  readonly catalogue: Catalogue;
  readonly subcommands: Subcommands;
  readonly known: Known;
  /** Ids of the war room's scans. */
  readonly scans?: readonly string[];
}

const FILES: Candidates = { values: [], files: true };
const JOB = { command: 'aisec-redteam-scan-get', argument: 'job_id' };
const TARGET = { command: 'aisec-redteam-targets-get', argument: 'uuid' };
const MODEL_SCAN = { command: 'aisec-model-security-scans-get', argument: 'uuid' };

/**
 * Completes a word. @param words the words before it, after the program's name @param current the word as typed so far,
 * without quotes
 */
export function candidates(words: readonly string[], current: string, offers: Offers): Candidates {
  const table = optionTable(offers.subcommands);
  const { positionals, pending } = split(words, table);
  if (pending !== undefined) return optionValues({ name: pending, table, positionals }, current, '', offers);
  if (current.startsWith('-')) return options(current, positionals, table, offers);
  const [first, ...rest] = positionals;
  if (first === undefined) return starts(current, offers);
  if (Object.hasOwn(offers.subcommands, first)) return subcommandWords([first, ...rest], current, offers);
  const { command, typed, next } = commandAt([...first.trim().split(/\s+/), ...rest], offers.catalogue);
  const further = fitting(next.map(asCandidate), current);
  if (command === undefined) return further;
  const arguments_ = argumentWords(command.arguments, typed, current, offers.known);
  return { ...arguments_, values: [...further.values, ...arguments_.values] };
}

function argumentWords(known: readonly ArgumentInfo[], typed: readonly string[], current: string, values: Known) {
  const [fits, replaced] = completedArguments(known, typed, current, { known: values, inShell: true });
  const kept = current.slice(0, current.length - replaced.length);
  const [typedName = '', value] = current.split(/=(.*)/s, 2);
  const isNamed = (argument: ArgumentInfo) => [argument.name, aliasOf(argument.name, argument)].includes(typedName);
  const argument = value === undefined ? undefined : known.find(isNamed);
  if (argument !== undefined && takesPath(argument, value ?? '')) return FILES;
  const names = namesById(argument?.lookup, values);
  const described = (fit: string) =>
    kept === '' ? known.find((each) => `${each.name}=` === fit)?.description : names.get(fit);
  return { values: fits.map((fit) => ({ value: kept + fit, description: described(fit) })) };
}

function takesPath({ kind, content, secret }: ArgumentInfo, value: string): boolean {
  return kind === 'file' || ((content || secret) && value.startsWith('@file:'));
}

function namesById(lookup: Lookup | undefined, known: Known): Map<string, string> {
  return new Map(lookup === undefined ? [] : known(lookup).map(({ id, name }) => [id, name] as const));
}

function starts(current: string, { catalogue, subcommands, known }: Offers): Candidates {
  if (/\s/.test(current)) {
    const [fits, replaced] = complete(current, catalogue, {}, {}, known);
    const kept = current.slice(0, current.length - replaced.length);
    return { values: fits.map((fit) => ({ value: kept + fit })) };
  }
  const own = Object.entries(subcommands).filter(([, { hidden }]) => hidden !== true);
  const names = [...own, ...catalogue.map((info) => [spelledAs(current, info.name), info] as const)];
  return fitting(
    names.map(([value, { summary }]) => ({ value, description: summary })),
    current,
  );
}

function subcommandWords([name = '', ...typed]: readonly string[], current: string, offers: Offers): Candidates {
  const offered = offers.subcommands[name]?.completes?.(typed) ?? [];
  if (offered === 'paths') return FILES;
  if (offered === 'red-team targets and scans')
    return fitting([...namesOf(TARGET, offers), ...recordsOf(JOB, current, offers)], current);
  if (offered === 'red-team scans') return fitting(recordsOf(JOB, current, offers), current);
  if (offered === 'model scans') return fitting(recordsOf(MODEL_SCAN, current, offers), current);
  if (offered === 'scans and files') {
    const scans = fitting(
      [JOB, MODEL_SCAN].flatMap((kind) => recordsOf(kind, current, offers)),
      current,
    );
    return scans.values.length > 0 ? scans : FILES;
  }
  if (offered === 'scans') return fitting(scansOf(offers).map(asCandidate), current);
  if (offered === 'groups') return fitting(GROUP_NAMES.map(asCandidate), current);
  const texts = offered === 'commands' ? topicsOfHelp(typed, current, offers) : offered;
  return fitting(texts.map(asCandidate), current);
}

function scansOf({ scans = [] }: Offers): readonly string[] {
  return scans.length === 0 ? [] : ['last', ...scans];
}

/** Lists subcommands, groups and commands, or the next words of a command that the user has begun. */
function topicsOfHelp(typed: readonly string[], current: string, { catalogue, subcommands }: Offers): string[] {
  const names = catalogue.map(({ name }) => name);
  if (typed.length > 0) return nextWords(typed, names);
  return [...Object.keys(subcommands), ...GROUP_NAMES, ...names.map((name) => spelledAs(current, name))];
}

const asCandidate = (value: string): Candidate => ({ value });

function options(current: string, positionals: readonly string[], table: OptionTable, offers: Offers): Candidates {
  const [first] = positionals;
  const at = current.indexOf('=');
  if (at > 0) {
    const asked = { name: current.slice(2, at), table, positionals };
    return optionValues(asked, current, current.slice(0, at + 1), offers);
  }
  const fits = Object.entries(table).filter(([, { of }]) => of === undefined || of.includes(first ?? ''));
  return fitting(
    fits.map(([name, { description }]) => ({ value: `--${name}`, description })),
    current,
  );
}

/** An option whose value is completed, and the words of its line. */
interface AskedOption {
  readonly name: string;
  readonly table: OptionTable;
  readonly positionals: readonly string[];
}

function optionValues({ name, table, positionals }: AskedOption, current: string, kept: string, offers: Offers) {
  const option = table[name];
  const typed = current.slice(kept.length);
  const fields = fieldTexts(name, typed, commandOf(positionals, offers));
  if (fields !== undefined) return { values: fields.map((text) => ({ value: kept + text })) };
  if (option?.value === 'FILE' || option?.value === 'DIR') return FILES;
  const values = valuesOf(option, typed, offers);
  return fitting(
    values.map(({ value, description }) => ({ value: kept + value, description })),
    current,
  );
}

function commandOf([first = '', ...rest]: readonly string[], { catalogue, subcommands }: Offers) {
  if (Object.hasOwn(subcommands, first)) return undefined;
  return commandAt([...first.trim().split(/\s+/), ...rest], catalogue).command;
}

function valuesOf(option: OptionTable[string] | undefined, typed: string, offers: Offers): readonly Candidate[] {
  if (option?.value === 'JOB_ID') return recordsOf(JOB, typed, offers);
  return option?.value === 'TARGET' ? namesOf(TARGET, offers) : (option?.choices ?? []).map(asCandidate);
}

/** Lists the known ids for an argument, and names once the user has begun to type. */
function recordsOf(argument: typeof JOB, typed: string, offers: Offers): Candidate[] {
  const ids = idsOf(argument, offers);
  if (typed === '') return ids;
  const named = ids.filter(({ description = '' }) => isPrintable(description) && !description.startsWith('-'));
  return [...ids, ...named.map(({ value, description = '' }) => ({ value: description, description: value }))];
}

/** Lists the known ids for an argument. */
function idsOf({ command, argument }: typeof JOB, { catalogue, known }: Offers): Candidate[] {
  const found = catalogue.find((each) => each.name === command);
  const lookup = found?.arguments.find((each) => each.name === argument)?.lookup;
  const values = lookup === undefined ? [] : known(lookup);
  return values.map(({ id, name: description }) => ({ value: id, description }));
}

/** Lists the known names of records, or the id if a shell would have to quote the name. */
function namesOf(argument: typeof JOB, offers: Offers): Candidate[] {
  return idsOf(argument, offers).map(({ value: id, description: name = '' }) =>
    /^[\w.:@-]+$/.test(name) && !name.startsWith('-')
      ? { value: name, description: id }
      : { value: id, description: name },
  );
}

/** Separates options from words. `pending` is an option that still lacks its value. */
function split(words: readonly string[], table: OptionTable): { positionals: string[]; pending: string | undefined } {
  const positionals: string[] = [];
  let pending: string | undefined;
  for (const word of words) {
    if (pending !== undefined) pending = undefined;
    else if (!word.startsWith('--')) positionals.push(word);
    else if (!word.includes('=') && table[word.slice(2)]?.kind !== 'flag') pending = word.slice(2);
  }
  return { positionals, pending };
}

function fitting(values: readonly Candidate[], current: string): Candidates {
  return { values: values.filter(({ value }) => value.startsWith(current)) };
}
