/** Converts a document to a playbook, and reports all problems at once. */

import { type Problem, ValidationError } from '../core/errors.ts';
import { type JsonObject, objectOf } from '../core/json.ts';
import { located, NO_SOURCE, type Source } from '../core/places.ts';
import { anyOf, flagOf, list, object } from '../core/received.ts';
import { type ReadDocument, readDocument } from '../node/documents/read-document.ts';
import { didYouMean } from '../runtime/arguments/suggest.ts';
import type { Registry } from '../runtime/engine/command.ts';
import { checkCommands } from './commands.ts';
import { checkFlow } from './flow.ts';
import { taskOf } from './parse-task.ts';
import { parseTemplateValue, reporterAt, scalarText } from './parse-value.ts';
import { collectProblems, type Playbook } from './playbook.ts';
import { valueIn } from './values.ts';

const readSource = object({
  id: scalarText,
  name: scalarText,
  description: scalarText,
  starttaskid: scalarText,
  inputs: list({ key: scalarText, value: anyOf, required: flagOf, description: scalarText }),
  outputs: list({ contextPath: scalarText }),
  tasks: objectOf,
});

/**
 * Converts and checks a document.
 * @throws ValidationError that lists every task, script, operator, transformer and command that cannot be rehearsed
 */
export async function readPlaybook(
  document: JsonObject,
  registry: Registry,
  source: Source = NO_SOURCE,
): Promise<Playbook> {
  const { file, lineOf } = source;
  const problems = collectProblems(source);
  const { id, name, description, starttaskid, inputs, outputs, tasks } = readSource(document);
  const playbook: Playbook = {
    file,
    name: name ?? id ?? '',
    description: description ?? '',
    start: starttaskid ?? '',
    inputs: inputs.map(({ key = '', value, required, description = '' }, at) => {
      const report = reporterAt(problems, { title: `Input ${key}`, path: ['inputs', at, 'value'] });
      const read = parseTemplateValue(value, report);
      return { key, value: read, required: required === true, description, line: lineOf(['inputs', at]) };
    }),
    outputs: outputs.flatMap(({ contextPath }) => contextPath ?? []),
    tasks: new Map(Object.entries(tasks).map(([key, task]) => [key, taskOf(key, task, problems, lineOf)])),
  };
  if (playbook.tasks.size === 0)
    problems.add({ title: '', path: [] }, 'The document has no tasks, so it is not a playbook.');
  else checkFlow(playbook, problems);
  await checkCommands(playbook, registry, problems);
  problems.end();
  return playbook;
}

/** Parses the text of a playbook. @throws UsageError for syntax errors, or a document that is not a mapping */
export function readPlaybookDocument(text: string, name: string): Promise<ReadDocument> {
  const contents = 'A playbook holds name, starttaskid and tasks.';
  // The platform reads YAML 1.1.
  return readDocument(text, name, { noun: 'playbook', contents, yaml: '1.1' });
}

/** Maximum tasks of a text, which another user may have sent: its checks take time. */
const MAX_TASKS = 1000;

/**
 * Parses and checks the text of a playbook. @param name for messages @throws UsageError for syntax errors, and
 * ValidationError as above, or for more than 1,000 tasks
 */
export async function readPlaybookText(text: string, name: string, registry: Registry): Promise<Playbook> {
  const { value, source } = await readPlaybookDocument(text, name);
  const count = Object.keys(objectOf(value['tasks'])).length;
  if (count > MAX_TASKS) {
    const line = source.lineOf(['tasks']);
    const message = located(name, line, `The playbook has ${count} tasks, and at most ${MAX_TASKS} can be rehearsed.`);
    throw new ValidationError([{ message, line }]);
  }
  return readPlaybook(value, registry, source);
}

/**
 * Resolves the inputs.
 * @param provided strings by input key
 * @param context where references in defaults are resolved
 * @returns values by key; inputs without a value are omitted
 * @throws ValidationError for unknown inputs and for missing required inputs
 */
export function resolveInputs(
  { inputs, file }: Playbook,
  provided: ReadonlyMap<string, string>,
  context: JsonObject,
): JsonObject {
  const keys = inputs.map(({ key }) => key);
  const problems: Problem[] = [];
  for (const key of provided.keys()) {
    if (keys.includes(key)) continue;
    const hint = didYouMean(key, keys) ?? (keys.length === 0 ? 'It has none.' : `It has ${keys.join(', ')}.`);
    problems.push({ message: `The playbook has no input "${key.slice(0, 60)}".`, hint });
  }
  const values = inputs.flatMap(({ key, value, required, description, line }) => {
    const text = provided.get(key) ?? '';
    const found = text === '' ? valueIn(context, value) : text;
    if (required && (found === undefined || found === '')) {
      const message = located(file, line, `The input ${key} is required.`);
      problems.push({ message, hint: `${key}: ${description}`, line });
    }
    return found === undefined ? [] : [[key, found] as const];
  });
  if (problems.length > 0) throw new ValidationError(problems);
  return Object.fromEntries(values);
}
