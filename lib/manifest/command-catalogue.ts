/** The catalogue for programs: every command with its schemas, as plain JSON. */
import type { Command } from '../runtime/engine/command.ts';
import { issuesSecret } from '../runtime/output/record.ts';
import type { CommandInfo } from './catalogue.ts';
import { type ColumnNames, columnNames } from './columns.ts';
import { describe } from './describe.ts';
import { type Annotations, inputSchema, type JsonSchema, outputSchema, toolHints } from './schema.ts';

/** One command of `aisec.commands` and `aisec/catalogue`. */
export interface CommandEntry
  extends Readonly<Pick<CommandInfo, 'name' | 'summary' | 'effect' | 'example' | 'rules' | 'job'>> {
  readonly annotations: Annotations;
  /** Arguments beyond the documented interface. */
  readonly extensions: readonly string[];
  /** Arguments whose values are prompts, responses or other user content. */
  readonly content: readonly string[];
  /** True if its output contains a secret that the service returns only once. */
  readonly issuesSecret: boolean;
  /** Fields that people want first, by context path; a list may also have fields that only its response has. */
  readonly columns: ColumnNames;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
}

/** Entries by declaration, cached because a server needs all of them at each start. */
const entries = new WeakMap<Command, CommandEntry>();

/** Returns the entry of a declaration, with its schemas. */
export function catalogueEntry(command: Command): CommandEntry {
  const entry = entries.get(command) ?? newEntry(command);
  entries.set(command, entry);
  return entry;
}

function newEntry(command: Command): CommandEntry {
  const { name, summary, effect, example, rules, job, arguments: args } = describe(command);
  const named = (mark: 'extension' | 'content') => args.filter((each) => each[mark]).map((each) => each.name);
  return {
    name,
    summary,
    effect,
    annotations: toolHints(command),
    example,
    rules,
    extensions: named('extension'),
    content: named('content'),
    job,
    issuesSecret: issuesSecret(command),
    columns: columnNames(command),
    inputSchema: inputSchema(command),
    outputSchema: outputSchema(command),
  };
}

/** Serializes the catalogue as JSON, one command per line. */
export function catalogueJson(entries: readonly CommandEntry[]): string {
  return `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`;
}
