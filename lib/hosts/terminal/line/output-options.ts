/** Checks and prepares the options that select which parts of a result are printed: `--fields` and `--jq`. */

import { UsageError } from '../../../core/errors.ts';
import { readGeneric } from '../../../runtime/arguments/generic.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import type { RecordType } from '../../../runtime/output/record.ts';
import type { Selection } from '../../../runtime/select/fields.ts';
import type { Jq } from '../ui/jq.ts';
import type { Options } from './cli-options.ts';
import type { Format } from './options.ts';

type Choices = Pick<Options, 'fields' | 'jq'>;
type Refused = Choices & Pick<Options, 'reveal' | 'filter' | 'sort'>;

/** Selects the parts of a result to print. */
export interface Choice {
  readonly selection: Selection | undefined;
  readonly jq: Jq | undefined;
  /** The record types that the command returns; empty if no option needs them. */
  readonly records: readonly RecordType[];
  /** Whether a selected field exists only in a list's table: such fields are added to the records. */
  readonly addsListed: boolean;
  /** Columns of CSV. */
  readonly columns: readonly string[];
  /** Whether records may be printed as they arrive. */
  readonly streams: boolean;
}

/** Refuses options that exclude each other. @throws UsageError */
export function checkOutputOptions({ fields, jq }: Choices, format: Format): void {
  if (jq !== undefined && format !== 'json' && format !== 'jsonl') {
    throw new UsageError(`Option --jq cannot be combined with --output ${format}.`, {
      hint: 'It reads the json form, or each record with --output jsonl.',
    });
  }
  if (fields !== undefined && format === 'entry') {
    throw new UsageError('Option --fields cannot be combined with --output entry.', {
      hint: 'An entry needs all fields, because the platform merges records by them.',
    });
  }
}

/** Refuses options about results for a subcommand that prints something else. @throws UsageError */
export function refuseForSubcommand(name: string, options: Refused, format: Format): void {
  const found = optionOfCommands(options);
  if (found !== undefined) throw new UsageError(`Option ${found} is for commands, not for aisec ${name}.`);
  if (format === 'csv' || format === 'yaml') {
    throw new UsageError(`aisec ${name} has no output in ${format}.`, { hint: 'Use --output json.' });
  }
}

function optionOfCommands({ fields, jq, reveal, filter, sort }: Refused): string | undefined {
  if (fields !== undefined) return '--fields';
  if (jq !== undefined) return '--jq';
  if (filter.length > 0) return '--filter';
  return sort !== undefined ? '--sort' : reveal ? '--reveal' : undefined;
}

/**
 * Prepares the printing of one command's result, before anything is sent.
 * @throws UsageError for an unknown field, or an invalid expression
 */
export async function choose(
  declared: Command,
  { pairs }: Invocation,
  options: Choices,
  format: Format,
  terminal: boolean,
): Promise<Choice> {
  const { fields } = options;
  if (
    fields !== undefined &&
    readGeneric(Object.fromEntries(pairs.map((pair) => [pair.name, pair.value])), []).showRaw
  ) {
    throw new UsageError('Option --fields cannot be combined with raw-response=true.', {
      hint: 'The fields are those of the outputs; the raw response has the names of the service. Use --jq on it.',
    });
  }
  const jq = options.jq === undefined ? undefined : await (await import('../ui/jq.ts')).openJq(options.jq, terminal);
  const needsRecords = fields !== undefined || format === 'csv';
  if (!needsRecords) {
    return { selection: undefined, jq, records: [], addsListed: false, columns: [], streams: format === 'jsonl' };
  }
  const [{ checkFields, parseFields }, { recordsOf }] = await Promise.all([
    import('../../../runtime/select/fields.ts'),
    import('../../../runtime/select/result.ts'),
  ]);
  const records = recordsOf(declared);
  const selection = fields === undefined ? undefined : parseFields(fields);
  if (selection !== undefined) checkFields(selection, records);
  const columns = selection ?? Object.keys((declared.job ?? declared).output.record.fields);
  const { further = {} } = declared.output.record.view;
  const addsListed = selection?.some((name) => Object.hasOwn(further, name)) === true;
  // A streamed record has only its declared fields.
  const streams = isList(declared) && !addsListed && ['jsonl', 'csv'].includes(format);
  return { selection, jq, records, addsListed, columns, streams };
}

/** A handler may stream rows that are not records of its output. */
function isList({ call, output }: Command): boolean {
  return call !== undefined && output.many;
}
