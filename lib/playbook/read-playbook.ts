/** Converts a document to a playbook, and reports all of its problems at once. */

import { NO_SOURCE, type Path, type Source } from '../documents/places.ts';
import type { Registry } from '../engine/command.ts';
import { isObject, type JsonObject, objectsOf } from '../engine/json.ts';
import { checkCommands } from './commands.ts';
import { checkFlow } from './flow.ts';
import { taskOf } from './parse-task.ts';
import { parseValue, reporterAt, textOf } from './parse-value.ts';
import type { Input, Playbook } from './playbook.ts';
import { readPlaybookDocument } from './playbook-document.ts';
import { collectProblems, type Problems } from './problems.ts';

/**
 * Converts and checks a document.
 * @throws ValidationError that lists every task, script, operator, transformer and command that cannot be rehearsed
 */
export async function readPlaybook(
  document: JsonObject,
  registry: Registry,
  source: Source = NO_SOURCE,
): Promise<Playbook> {
  const problems = collectProblems(source);
  const playbook: Playbook = {
    file: source.file,
    name: textOf(document['name']) ?? textOf(document['id']) ?? '',
    start: textOf(document['starttaskid']) ?? '',
    inputs: objectsOf(document['inputs']).map((input, at) => inputOf(input, ['inputs', at], problems, source)),
    outputs: objectsOf(document['outputs']).flatMap(({ contextPath }) => textOf(contextPath) ?? []),
    tasks: tasksOf(document['tasks'], problems, source),
  };
  if (playbook.tasks.size === 0)
    problems.add({ title: '', path: [] }, 'The document has no tasks, so it is not a playbook.');
  else checkFlow(playbook, problems);
  await checkCommands(playbook, registry, problems);
  problems.end();
  return playbook;
}

/** Parses and checks the text of a playbook. @param name for messages @throws UsageError for syntax errors, and as above */
export async function readPlaybookText(text: string, name: string, registry: Registry): Promise<Playbook> {
  const { value, source } = await readPlaybookDocument(text, name);
  return readPlaybook(value, registry, source);
}

function inputOf(
  { key, value, required, description }: JsonObject,
  path: Path,
  problems: Problems,
  { lineOf }: Source,
): Input {
  const name = textOf(key) ?? '';
  return {
    key: name,
    value: parseValue(value, reporterAt(problems, { title: `Input ${name}`, path: [...path, 'value'] })),
    required: required === true,
    description: textOf(description) ?? '',
    line: lineOf(path),
  };
}

function tasksOf(value: unknown, problems: Problems, { lineOf }: Source): Playbook['tasks'] {
  const tasks = isObject(value) ? Object.entries(value) : [];
  return new Map(tasks.map(([id, task]) => [id, taskOf(id, isObject(task) ? task : {}, problems, lineOf)]));
}
