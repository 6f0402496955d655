import { readFileSync } from 'node:fs';

/** The stages at which scenarios become due; `due` in ids.json lists the stages reached so far. */
const STAGES = ['now', 'bulk', 'decisions', 'services', 'platform', 'later'] as const;
export type ScenarioDue = (typeof STAGES)[number];

/** A numbered behaviour that must hold. */
export interface Scenario {
  id: string;
  /** Stable number, from 1. */
  number: number;
  /** Letter of the group, `A` (retry and time) to `M` (reports and audits). */
  group: string;
  due: ScenarioDue;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isScenario = (value: unknown): value is Scenario =>
  isRecord(value) &&
  typeof value['id'] === 'string' &&
  typeof value['number'] === 'number' &&
  typeof value['group'] === 'string' &&
  STAGES.some((stage) => stage === value['due']);

function readScenarios(): Scenario[] {
  // Data rather than code, because the reporter that checks the claims runs without a TypeScript loader.
  const file: unknown = JSON.parse(readFileSync(new URL('./ids.json', import.meta.url), 'utf8'));
  const list = isRecord(file) ? file['scenarios'] : undefined;
  if (!Array.isArray(list) || !list.every(isScenario)) throw new TypeError('ids.json: not a list of scenarios');
  return list;
}

/** Every scenario, by number. */
export const scenarios: readonly Scenario[] = readScenarios();
