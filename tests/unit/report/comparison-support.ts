import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { objectOf, objectsOf } from '../../../lib/core/json.ts';
import type { RunCommand } from '../../../lib/engine/run-command.ts';
import { type ComparisonOptions, collectComparison } from '../../../lib/features/report/collect/collect-comparison.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { type Given, run } from './support.ts';

export const OPTIONS: ComparisonOptions = {
  createdAt: Date.UTC(2026, 10, 21, 12),
  version: '1.2.3',
  progress: () => undefined,
  withAnswers: false,
};

/** Runs commands in a war room, as a subcommand does. */
export function askIn(room: WarRoom): RunCommand {
  return async (name, args) => {
    const words = Object.entries(args).map(([key, value]) => `${key}=${value}`);
    const { writes, raw, simulated } = await room.run([`!${name}`, ...words].join(' '));
    const value = writes[0]?.value;
    return { record: objectOf(value), records: objectsOf(value), raw, simulated };
  };
}

/** Scans a target and waits for the end. @returns the id of the scan */
async function scanned(room: WarRoom, name: string, more: string): Promise<string> {
  const created = await room.run(`!aisec-redteam-scan-create name="${name}" ${more} wait=true interval=1 timeout=60`);
  return String(objectOf(created.writes[0]?.value)['uuid']);
}

/** Starts scans one after the other, and collects the comparison of the first and the last one. */
export async function comparisonOf(scans: readonly string[], options: Partial<ComparisonOptions> = {}) {
  const room = warRoom();
  const ids: string[] = [];
  for (const [index, more] of scans.entries()) ids.push(await scanned(room, `scan ${index + 1}`, more));
  return collectComparison([ids[0] ?? '', ids.at(-1) ?? ''], askIn(room), { ...OPTIONS, ...options });
}

/** Compares two scans and writes the page. */
export async function compared(first: string, second: string, given: Given = {}) {
  const file = join(temporaryFolder('compare'), 'comparison.html');
  const result = await run(['compare', first, second, '--html', file, ...(given.more ?? [])], given);
  return { ...result, file, page: existsSync(file) ? readFileSync(file, 'utf8') : '' };
}
