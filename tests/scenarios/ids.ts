import { readFileSync } from 'node:fs';

/** The stage at which a scenario is due: present commands, bulk scans, or later. */
export type ScenarioDue = 'now' | 'bulk' | 'later';

/** One of the numbered things that must hold. */
export interface Scenario {
  id: string;
  /** Stable number, from 1. */
  number: number;
  /** Letter of the group, `A` (retry and time) to `I` (any day, any machine). */
  group: string;
  due: ScenarioDue;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isScenario = (value: unknown): value is Scenario =>
  isRecord(value) &&
  typeof value['id'] === 'string' &&
  typeof value['number'] === 'number' &&
  typeof value['group'] === 'string' &&
  (value['due'] === 'now' || value['due'] === 'bulk' || value['due'] === 'later');

function readScenarios(): Scenario[] {
  // Data rather than code, because the reporter that checks the claims runs without a TypeScript loader.
  const file: unknown = JSON.parse(readFileSync(new URL('./ids.json', import.meta.url), 'utf8'));
  const list = isRecord(file) ? file['scenarios'] : undefined;
  if (!Array.isArray(list) || !list.every(isScenario)) throw new TypeError('ids.json: not a list of scenarios');
  return list;
}

/** Every scenario, in the order of its number. */
export const scenarios: readonly Scenario[] = readScenarios();
