/** Cost of the tools in tokens, and schemas that clients can use. */

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Ajv } from 'ajv';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { registry } from '../../../commands/index.ts';
import { SCAN_UNDER_WAY } from '../../../fixtures/lines/red-team.ts';
import { parseLine } from '../../../lib/client/argv.ts';
import { listedTools } from '../../../lib/hosts/mcp/tools.ts';
import { readArguments } from '../../../lib/runtime/arguments/read.ts';
import { expectNone } from '../../support/expect-none.ts';
import { LINE_FILES, LINE_ROWS } from '../../support/lines.ts';
import { someOf } from '../../support/runs.ts';
import { type Connection, type ConnectionOptions, closeConnectionsAfterEach, connect, watched } from './support.ts';

const { default: Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020') as { default: typeof Ajv };

closeConnectionsAfterEach();

/** Each limit is the measured value plus 15 %; hosts may expect less than 2500 for the default tools. */
const COSTS: readonly { readonly of: string; readonly limit: number; readonly options: ConnectionOptions }[] = [
  { of: 'the default tools', limit: 2300, options: {} },
  { of: 'runtime', limit: 7900, options: { toolsets: 'runtime' } },
  { of: 'dlp', limit: 7400, options: { toolsets: 'dlp' } },
  { of: 'red-team', limit: 26_200, options: { toolsets: 'red-team' } },
  { of: 'model-security', limit: 9600, options: { toolsets: 'model-security' } },
  { of: 'all', limit: 49_400, options: { toolsets: 'all' } },
];

async function costOf(options: ConnectionOptions): Promise<number> {
  const { client } = await connect(options);
  const { tools } = await client.listTools();
  return countTokens(JSON.stringify(tools));
}

test.each(COSTS)('$of cost at most $limit tokens, and fewer with --read-only', async ({ limit, options }) => {
  const all = await costOf(options);
  expect(all).toBeLessThanOrEqual(limit);
  expect(all).toBeGreaterThan(limit / 1.5);
  expect(await costOf({ ...options, readOnly: true })).toBeLessThan(all);
});

describe('every tool', () => {
  const ajv = new Ajv2020({ strictTypes: false, allErrors: true, validateFormats: false });
  let every: Awaited<ReturnType<typeof listedTools>>;
  // Only after the other tests, because a test's modules cannot be linked twice at once.
  beforeAll(async () => {
    every = await listedTools({ registry, selection: { allow: {}, named: Object.keys(registry) } });
  });

  test('is a command or one of the five general tools', async () => {
    expect(every.map(({ name }) => name)).toEqual([
      'aisec_search',
      'aisec_describe',
      'aisec_read',
      'aisec_change',
      'aisec_guard',
      ...Object.keys(registry),
    ]);
  });

  test('has a one-sentence description, all hints, and valid object schemas without redundant keywords', () => {
    const found: string[] = [];
    for (const { name, description, annotations, inputSchema, outputSchema } of every) {
      if (!/^[A-Z][^\n]{10,}\.$/.test(description)) found.push(`${name}: "${description}" is no sentence`);
      for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const)
        if (typeof annotations[hint] !== 'boolean') found.push(`${name}: no ${hint}`);
      if (annotations.readOnlyHint && annotations.destructiveHint) found.push(`${name}: reads, and destroys`);
      for (const schema of [inputSchema, ...(outputSchema === undefined ? [] : [outputSchema])]) {
        expect(() => ajv.compile(schema)).not.toThrow();
        if (schema['type'] !== 'object') found.push(`${name}: the schema is not of an object`);
        found.push(...emptyKeywords(schema, name));
      }
      for (const [argument, schema] of Object.entries(Object(inputSchema['properties']) as Record<string, object>))
        if (!('description' in schema)) found.push(`${name} ${argument}: no description`);
    }
    expectNone(found, 'tools that clients cannot show, or that cost tokens for nothing');
  });
});

test('no command has an argument named confirm', async () => {
  const found: string[] = [];
  for (const [name, load] of Object.entries(registry)) if ('confirm' in (await load()).args) found.push(name);
  expectNone(found, 'commands whose own argument would confirm their deletion');
});

test('the result of each command matches the schema of its tool', async () => {
  const { simulated, renew } = watched();
  const connection = await connect({ toolsets: 'all', parts: { simulated } });
  for (const [file, text] of Object.entries(LINE_FILES)) writeFileSync(join(connection.folder, file), text);
  const { tools } = await connection.client.listTools();
  const found: string[] = [];
  for (const { name, line } of someOf(LINE_ROWS, 0)) {
    renew();
    const { outputSchema } = tools.find((tool) => tool.name === name) ?? {};
    const validate = new Ajv2020({ strictTypes: false, allErrors: true }).compile(closed(outputSchema));
    const { structured, isError, text } = await connection.call(name, await argumentsOf(connection, name, line));
    if (isError) found.push(`${name} fails: ${text}`);
    else if (!validate(structured)) found.push(`${name}: ${JSON.stringify(validate.errors)}`);
  }
  expectNone(found, 'results that the schema does not describe');
});

/** Parses the arguments of a line as an agent passes them. */
async function argumentsOf({ call }: Connection, name: string, line: string): Promise<Record<string, unknown>> {
  const command = await registry[name]?.();
  if (command === undefined) throw new Error(name);
  const { typed } = readArguments(command, parseLine(line), {});
  if (command.effect === 'delete') return { ...typed, confirm: true };
  if (name !== 'aisec-redteam-scan-abort') return typed;
  // The seed has no running scan.
  const { name: scan, target } = SCAN_UNDER_WAY;
  const { structured } = await call('aisec-redteam-scan-create', { name: scan, target_uuid: target.uuid });
  const outputs = structured['outputs'] as Record<string, { readonly uuid: string }>;
  return { job_id: outputs['AiSec.RedTeamScanCreate']?.uuid };
}

/** Makes an output schema reject paths that it does not name. */
function closed(schema: unknown): Record<string, unknown> {
  const { properties, ...others } = schema as { readonly properties: Readonly<Record<string, object>> };
  return {
    ...others,
    properties: { ...properties, outputs: { ...properties['outputs'], additionalProperties: false } },
    additionalProperties: false,
  };
}

/** Finds keywords that every value satisfies, or that only some other program reads. */
function emptyKeywords(schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const isEmpty =
      ['$schema', '$id', 'title', 'maxBytes', 'x-secret'].includes(keyword) && typeof value !== 'object'
        ? true
        : /^min(?:Length|Items|Properties)$/.test(keyword)
          ? value === 0
          : /^(?:min|max)imum$/.test(keyword) && Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER;
    return [...(isEmpty ? [`${at} ${keyword}`] : []), ...emptyKeywords(value, `${at} ${keyword}`)];
  });
}
