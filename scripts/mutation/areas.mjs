/**
 * Areas of the code for mutation testing: their sources, and the suites that must notice a fault in them. Suites of an
 * area are its own; a mutant that only a distant suite would detect survives. Long tests and tests of documents are left
 * out, because a fault in the reach of a short test must be found by a short test.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';

// Large texts take longer than a mutant may.
const short = (folder) => ({ folder, leftOut: /\.long\.test\.ts$|^(?:documents?|large)\.test\.ts$/ });
// These start programs, read documents, or wait longer than a mutant may.
const quick = (folder) => ({
  folder,
  leftOut: /\.long\.test\.ts$|^(?:documents?|described|record|tls|bounds)\.test\.ts$/,
});
// Its tests wait for a Redis that stands still, longer than a mutant may.
const awake = (folder) => ({ folder, leftOut: /\.long\.test\.ts$|^(?:documents?|away)\.test\.ts$/ });

const AREAS = {
  arguments: { sources: ['lib/arguments'], suites: [{ folder: 'unit/arguments' }] },
  api: { sources: ['lib/api'], suites: [{ folder: 'unit/api' }] },
  output: { sources: ['lib/output'], suites: [{ folder: 'unit/output' }] },
  redaction: { sources: ['lib/redaction'], suites: [short('unit/redaction'), short('unit/log')] },
  http: {
    sources: ['lib/hosts/http/access', 'lib/hosts/http/idempotency.ts', 'lib/hosts/http/guard.ts'],
    suites: [quick('hosts/http')],
  },
  mcp: {
    sources: ['lib/hosts/mcp/call-tool.ts', 'lib/hosts/mcp/selection.ts', 'lib/hosts/mcp/deletion.ts'],
    suites: [short('hosts/mcp')],
  },
  // One of its suites replaces a function of Node, which only jest can.
  playbook: {
    sources: ['lib/playbook'],
    suites: [{ folder: 'unit/playbook', leftOut: /\.long\.test\.ts$|^(?:kept|moving)\.test\.ts$/ }],
  },
  gate: { sources: ['lib/features/gate'], suites: [short('unit/gate')] },
  plan: { sources: ['lib/features/guardrails'], suites: [short('unit/guardrails')] },
  runs: { sources: ['lib/runs'], suites: [short('unit/runs')] },
  queue: { sources: ['lib/runs/redis'], suites: [awake('unit/queue')] },
};

/** Names of all areas, in the order of their figures. */
export const AREA_NAMES = Object.keys(AREAS);

/** Returns the sources of an area, as patterns, and its suites, relative to the folder of the tests. */
export function areaOf(name) {
  const area = AREAS[name];
  if (area === undefined) throw new Error(`There is no area "${name}". Areas: ${AREA_NAMES.join(', ')}.`);
  return {
    sources: area.sources,
    patterns: area.sources.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`)),
    suites: area.suites.flatMap(suitesIn),
  };
}

function suitesIn({ folder, leftOut }) {
  return readdirSync(join(ROOT, 'tests', folder))
    .filter((file) => file.endsWith('.test.ts') && leftOut?.test(file) !== true)
    .map((file) => join(folder, file));
}
