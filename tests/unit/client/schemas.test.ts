import { createRequire } from 'node:module';
import type { Ajv } from 'ajv';
import { createAisec } from '../../../bin/library.ts';
import { registry } from '../../../commands/index.ts';
import { parseLine } from '../../../lib/client/argv.ts';
import { structured } from '../../../lib/client/result.ts';
import { readArguments } from '../../../lib/runtime/arguments/read.ts';
import { expectNone } from '../../support/expect-none.ts';
import { LINE_ROWS, lineRoom } from '../../support/lines.ts';

const { default: Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020') as { default: typeof Ajv };
const { commands } = createAisec();
const entryOf = (name: string) => commands.find((entry) => entry.name === name);

// Shared by all tests, because creating it compiles the meta-schemas.
const ajv = new Ajv2020({ strictTypes: false, allErrors: true, validateFormats: false });
// The catalogue's own keyword.
ajv.addKeyword('x-secret');

test('every command has schemas that are valid, and example arguments', () => {
  expect(commands.map(({ name }) => name)).toEqual(Object.keys(registry));
  for (const { inputSchema, outputSchema } of commands) {
    expect(() => ajv.compile(inputSchema)).not.toThrow();
    expect(() => ajv.compile(outputSchema)).not.toThrow();
  }
});

test('schemas have no redundant keywords', () => {
  const text = JSON.stringify(commands);
  for (const noise of ['$schema', 'maxBytes', '"title"', '9007199254740991', 'undefined'])
    expect(text).not.toContain(noise);
});

test('defaults are typed, closed lists are enums, open lists are examples, and secrets are write-only', () => {
  const properties = (name: string) => Object(entryOf(name)?.inputSchema['properties']) as Record<string, object>;
  expect(properties('aisec-runtime-topics-list')['limit']).toMatchObject({ type: 'integer', default: 100, minimum: 1 });
  const apiKeys = properties('aisec-runtime-api-keys-create');
  expect(apiKeys['rotation_time_unit']).toHaveProperty('enum');
  expect(JSON.stringify(properties('aisec-redteam-targets-validate-auth')['auth_config'])).toContain(
    '"writeOnly":true',
  );
});

test.each([
  ['aisec-runtime-topics-list', { readOnlyHint: true, destructiveHint: false, idempotentHint: true }],
  ['aisec-runtime-topics-create', { readOnlyHint: false, destructiveHint: false, idempotentHint: false }],
  ['aisec-runtime-topics-delete', { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
])('the hints of %s follow from its effect', (name, hints) => {
  expect(entryOf(name)?.annotations).toMatchObject(hints);
});

test.each([
  ['a list', 'aisec-redteam-scans-list', 'AiSec.RedTeamScan', ['uuid', 'name', 'status', 'score']],
  ['a single record', 'aisec-redteam-scan-get', 'AiSec.RedTeamScanGet', ['status', 'name', 'uuid', 'progress']],
  ['a list inside a record', 'aisec-redteam-languages-list', 'AiSec.RedTeamLanguages.languages', ['code', 'name']],
])('the catalogue says which fields of %s come first', (_, name, path, first) => {
  expect(entryOf(name)?.columns[path]?.slice(0, 4)).toEqual(first);
});

test('the arguments of every line fit the input schema', async () => {
  const found: string[] = [];
  for (const { name, line } of LINE_ROWS) {
    const command = await registry[name]?.();
    if (command === undefined) throw new Error(name);
    const { typed } = readArguments(command, parseLine(line), {});
    const validate = ajv.compile(entryOf(name)?.inputSchema ?? false);
    if (!validate(typed))
      for (const { instancePath, message } of validate.errors ?? []) found.push(`${name} ${instancePath}: ${message}`);
  }
  expectNone(found, 'arguments that the schema refuses');
});

test('the outputs of every line fit the output schema, which names their paths', async () => {
  const found: string[] = [];
  for (const { name, line } of LINE_ROWS) {
    const { outputs } = structured(await lineRoom().run(line));
    const outputSchema = entryOf(name)?.outputSchema ?? {};
    const described = Object.keys(Object(outputSchema['properties']));
    const unknown = Object.keys(outputs).filter((path) => !described.includes(path));
    found.push(...unknown.map((path) => `${name}: ${path}`));
    const validate = ajv.compile(outputSchema);
    if (!validate(outputs))
      for (const { instancePath, message, params } of validate.errors ?? [])
        found.push(`${name} ${instancePath}: ${message} ${JSON.stringify(params)}`);
  }
  expectNone(found, 'outputs that the schema does not describe');
});
