/** Creates the examples in the pack's reference by running each command once on the simulated service. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAisec } from '../../bin/library.ts';
import { LINE_FILES, linesAt } from '../../fixtures/lines/index.ts';
import { isObject, objectOf } from '../../lib/core/json.ts';
import { mergeContext } from '../../lib/runtime/output/merge.ts';

export interface Example {
  /** The line, as a person types it. */
  readonly line: string;
  /** The context as JSON, with lists and texts shortened. */
  readonly context: string;
  /** Markdown, as the war room shows it. */
  readonly readable: string;
}

/** The time of the examples, so that the same sources give the same bytes. */
const TIME = Date.UTC(2026, 0, 15, 9);

/** Runs every command. @returns examples by command @throws AisecError if a line fails */
export async function examplesOf(): Promise<ReadonlyMap<string, Example>> {
  const folder = mkdtempSync(join(tmpdir(), 'aisec-examples-'));
  try {
    for (const [name, text] of Object.entries(LINE_FILES)) writeFileSync(join(folder, name), text);
    const examples = new Map<string, Example>();
    for (const [command, args] of Object.entries(linesAt({ now: () => TIME }))) {
      examples.set(command, await exampleOf(`!${command} ${args}`.trim(), folder));
    }
    return examples;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function exampleOf(line: string, folder: string): Promise<Example> {
  const client = createAisec({ simulate: { now: TIME }, filesDirectory: folder, hideSecrets: true, environment: {} });
  try {
    // A command that stops a scan needs a running scan.
    if (line.startsWith('!aisec-redteam-scan-abort')) await client.line(await scanLine());
    const located = Object.keys(LINE_FILES).reduce((text, name) => text.replaceAll(name, join(folder, name)), line);
    const { outputs, readable } = await client.line(located);
    const shown = (text: string) => text.replaceAll(`${folder}/`, '');
    return {
      line,
      context: shown(JSON.stringify(nested(shortened(outputs)), null, 4)),
      readable: shown(readable).replace(/\*\*SIMULATED\*\*[^\n]*\n+/, ''),
    };
  } finally {
    await client.close();
  }
}

async function scanLine(): Promise<string> {
  const { SCAN_UNDER_WAY } = await import('../../fixtures/lines/red-team.ts');
  const { name, target, job_type } = SCAN_UNDER_WAY as { name: string; target: { uuid: string }; job_type: string };
  return `!aisec-redteam-scan-create name="${name}" target_uuid=${target.uuid} job_type=${job_type} categories={}`;
}

/** Turns context paths into nested objects, as the platform stores them. */
function nested(outputs: unknown): unknown {
  return mergeContext(
    {},
    Object.entries(objectOf(outputs)).map(([path, value]) => ({ path, key: [], value })),
  );
}

const [MAX_LIST, MAX_TEXT_LENGTH] = [2, 300];

/** Shortens lists and texts: an example only shows their form. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length <= MAX_TEXT_LENGTH ? value : `${value.slice(0, MAX_TEXT_LENGTH)}...`;
  if (Array.isArray(value)) return value.slice(0, MAX_LIST).map(shortened);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}
