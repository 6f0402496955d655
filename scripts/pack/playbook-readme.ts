/** Generates the README of a playbook, in the format of the platform's SDK. */
import { isObject, type JsonObject, objectOf, objectsOf } from '../../lib/core/json.ts';
import { INTEGRATION } from '../../lib/manifest/integration.ts';
import { page, plain, table } from './markdown.ts';

/** Renders the README. */
export function playbookReadme(document: JsonObject): string {
  const { description, inputs, outputs } = document;
  return page([
    plain(String(description)),
    '## Dependencies',
    'This playbook uses the following sub-playbooks, integrations, and scripts.',
    '### Sub-playbooks',
    'This playbook does not use any sub-playbooks.',
    '### Integrations',
    `* ${INTEGRATION}`,
    '### Scripts',
    listOf(scriptsOf(document), 'This playbook does not use any scripts.'),
    '### Commands',
    listOf(commandsOf(document), 'This playbook does not use any commands.'),
    '## Playbook Inputs',
    '---',
    table(
      ['Name', 'Description', 'Default Value', 'Required'],
      objectsOf(inputs).map((input) => [
        String(input['key']),
        String(input['description']),
        standardOf(objectOf(input['value'])),
        input['required'] === true ? 'Required' : 'Optional',
      ]),
    ),
    '## Playbook Outputs',
    '---',
    table(
      ['Path', 'Description', 'Type'],
      objectsOf(outputs).map(({ contextPath, description: what, type }) => [contextPath, what, type].map(String)),
    ),
  ]);
}

function listOf(names: readonly string[], none: string): string {
  return names.length === 0 ? none : names.map((name) => `* ${name}`).join('\n');
}

/** Lists the scripts of all tasks. */
function scriptsOf({ tasks }: JsonObject): string[] {
  const names = Object.values(objectOf(tasks)).map((task) => objectOf(objectOf(task)['task'])['scriptName']);
  return [...new Set(names.filter((name) => typeof name === 'string'))].sort();
}

/** Lists the commands of all tasks. */
function commandsOf({ tasks }: JsonObject): string[] {
  const scripts = Object.values(objectOf(tasks)).map((task) =>
    String(objectOf(objectOf(task)['task'])['script'] ?? ''),
  );
  return [...new Set(scripts.flatMap((script) => script.split('|||')[1] ?? []))].sort();
}

/** Returns the default value of an input. */
function standardOf({ simple, complex }: JsonObject): string {
  if (!isObject(complex)) return simple === undefined ? '' : String(simple);
  return [complex['root'], complex['accessor']].filter((part) => part !== undefined).join('.');
}
