/**
 * Applies `--filter` and `--sort`: through the service's query parameters if it has them, otherwise across all pages.
 */

import { UsageError } from '../../../core/errors.ts';
import { plural } from '../../../core/text/numbers.ts';
import type { Argument, Arguments } from '../../../runtime/arguments/builders.ts';
import type { Invocation, Pair } from '../../../runtime/arguments/lexer.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import { LIST_READER, listedFields } from '../../../runtime/engine/list-reader.ts';
import type { Fields } from '../../../runtime/output/record.ts';
import { orderOf, testOf } from '../../../runtime/select/compare.ts';
import { type Condition, parseConditions, parseSort, type SortKey } from '../../../runtime/select/conditions.ts';
import { type ListSelection, selectingReader } from '../../../runtime/select/selected-list.ts';
import type { Options } from './cli-options.ts';
import { printedChoice } from './invocation.ts';

type Choices = Pick<Options, 'filter' | 'sort'>;

/** The choice of records that a line requests from a list. */
export interface ChosenRecords {
  /** The line, with the arguments that the service can apply. */
  readonly invocation: Invocation;
  /** The port for the remaining work; empty if the service does all of it. */
  readonly ports: Readonly<Record<string, unknown>>;
  /** Says after the run where the records were filtered and sorted. */
  notes(): readonly string[];
}

const LIMITS = ['limit', 'size', 'page'];

/**
 * Prepares the choice of records, before anything is sent.
 * @param now milliseconds since the epoch, for ages
 * @throws UsageError for a command that lists nothing, an unknown field, or an invalid expression
 */
export function chooseRecords(command: Command, typed: Invocation, options: Choices, now: number): ChosenRecords {
  const fields = fieldsOf(command, options);
  const conditions = parseConditions(options.filter, fields);
  const keys = options.sort === undefined ? [] : parseSort(options.sort, fields);
  const asked = queryOf(command.args, typed, conditions);
  const rest = conditions.filter((condition) => !asked.some((each) => each.condition === condition));
  const sorting = sortQuery(command.args, typed, keys);
  const invocation = { ...typed, pairs: [...typed.pairs, ...asked.map(({ pair }) => pair), ...(sorting ?? [])] };
  const local = sorting === undefined ? keys : [];
  const asking = { filters: asked.length, sorts: sorting !== undefined };
  if (rest.length === 0 && local.length === 0) {
    return { invocation, ports: {}, notes: () => [`note: ${byService(asking)}.`] };
  }
  return { invocation, ...localChoice({ conditions: rest, keys: local, asking }, isLimited(typed), now) };
}

interface LocalWork {
  readonly conditions: readonly Condition[];
  readonly keys: readonly SortKey[];
  readonly asking: Asking;
}

interface Asking {
  readonly filters: number;
  readonly sorts: boolean;
}

/** Creates the selection in this process, and counts the records that it reads and cannot decide on. */
function localChoice({ conditions, keys, asking }: LocalWork, limited: boolean, now: number) {
  const tests = conditions.map((condition) => ({ condition, test: testOf(condition, now), undecided: 0 }));
  let end = { read: 0, isWhole: true };
  const matches = (record: unknown) =>
    tests.every((each) => {
      const outcome = each.test(record);
      if (outcome === 'undecided') each.undecided += 1;
      return outcome === true;
    });
  const selection: ListSelection = {
    ...(tests.length === 0 ? {} : { matches }),
    ...(keys.length === 0 ? {} : { compare: orderOf(keys) }),
    isLimited: limited,
    onRead: (read) => {
      end = read;
    },
  };
  const work = [...(tests.length === 0 ? [] : ['filtered']), ...(keys.length === 0 ? [] : ['sorted'])].join(' and ');
  const notes = () => {
    const service = asking.filters > 0 || asking.sorts ? `${byService(asking)}; ` : '';
    return [
      `note: ${service}${work} here, over ${plural(end.read, 'record')}.`,
      ...(end.isWhole
        ? []
        : ['note: the list goes on: narrow it with the arguments of the command, to reach the other records.']),
      ...tests
        .filter(({ undecided }) => undecided > 0)
        .map(
          ({ condition: { name, operator, value }, undecided }) =>
            `note: ${plural(undecided, 'record')} left out: ${name} is empty or cannot be compared (${operator}${value}).`,
        ),
    ];
  };
  return { ports: { [LIST_READER.name]: selectingReader(selection) }, notes };
}

function byService({ filters, sorts }: Asking): string {
  const work = [...(filters > 0 ? ['filtered'] : []), ...(sorts ? ['sorted'] : [])].join(' and ');
  return `${work} by the service`;
}

/** Returns the fields of a list's records. @throws UsageError for a command that lists nothing */
function fieldsOf(command: Command, { filter }: Choices): Fields {
  const fields = listedFields(command);
  if (fields !== undefined) return fields;
  const option = filter.length > 0 ? '--filter' : '--sort';
  throw new UsageError(`Option ${option} is for lists; ${command.name} returns no list.`, {
    hint: 'Select parts of one record with --fields or --jq, and rows of a bulk scan with --output jsonl --jq.',
  });
}

function isLimited({ pairs }: Invocation): boolean {
  return pairs.some(({ name }) => LIMITS.includes(name));
}

interface Asked {
  readonly condition: Condition;
  readonly pair: Pair;
}

/**
 * Finds the conditions that the command's arguments can express. Other conditions are checked here, because a search
 * text may match differently.
 */
function queryOf(args: Arguments, typed: Invocation, conditions: readonly Condition[]): Asked[] {
  const asked: Asked[] = [];
  for (const condition of conditions) {
    const argument = Object.hasOwn(args, condition.name) ? args[condition.name] : undefined;
    const isTyped = [...typed.pairs, ...asked.map(({ pair }) => pair)].some(({ name }) => name === condition.name);
    if (argument === undefined || condition.operator !== '=' || isTyped || typed.positionals.length > 0) continue;
    const value = queryValue(argument, condition.value);
    if (value !== undefined) asked.push({ condition, pair: { name: condition.name, value } });
  }
  return asked;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function queryValue(argument: Argument, typed: string): string | undefined {
  if (argument.kind === 'flag') return undefined;
  if (argument.lookup !== undefined && argument.lookup.takes === undefined) return UUID.test(typed) ? typed : undefined;
  return printedChoice(argument, typed);
}

/** Writes the sort order as arguments, if the service can sort by the field. */
function sortQuery(args: Arguments, typed: Invocation, [key, ...others]: readonly SortKey[]): Pair[] | undefined {
  const direction = ['sort_order', 'sort_dir'].find((name) => Object.hasOwn(args, name));
  const field = args['sort_field'];
  if (key === undefined || others.length > 0 || key.isAge || direction === undefined) return undefined;
  const wanted = field?.choices?.find((choice) => choice.toLowerCase() === key.name);
  if (wanted === undefined) return undefined;
  if (typed.pairs.some(({ name }) => name === 'sort_field' || name === direction)) return undefined;
  const word = args[direction]?.choices?.find((choice) => choice.toLowerCase() === (key.isDescending ? 'desc' : 'asc'));
  if (word === undefined) return undefined;
  return [
    { name: 'sort_field', value: wanted },
    { name: direction, value: word },
  ];
}
