/**
 * Areas of the code for mutation testing: their sources, and the suites that must notice a fault in them. The suites of an area
 * are its own; a mutant that only a distant suite would detect survives. A fault in the reach of a short test must be found by a
 * short test, so long tests are left out, and tests that start programs, read documents or wait longer than a mutant may.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';

const LEFT_OUT = ['document', 'documents', 'large'];

const AREAS = {
  arguments: area(['lib/arguments'], ['unit/arguments']),
  api: area(['lib/api'], ['unit/api']),
  output: area(['lib/output'], ['unit/output']),
  redaction: area(['lib/redaction'], ['unit/redaction', 'unit/log']),
  http: area(
    ['lib/hosts/http/access', 'lib/hosts/http/responses/idempotency.ts', 'lib/hosts/http/guard.ts'],
    ['hosts/http'],
    ['described', 'record', 'tls', 'bounds'],
  ),
  mcp: area(['lib/hosts/mcp/call-tool.ts', 'lib/hosts/mcp/selection.ts', 'lib/hosts/mcp/deletion.ts'], ['hosts/mcp']),
  // Only jest can replace functions of Node, as `kept` does.
  playbook: area(['lib/playbook'], ['unit/playbook'], ['kept', 'moving']),
  gate: area(['lib/features/gate'], ['unit/gate']),
  plan: area(['lib/features/guardrails'], ['unit/guardrails']),
  runs: area(['lib/runs'], ['unit/runs']),
  // Waits for a Redis that stands still.
  queue: area(['lib/runs/redis'], ['unit/queue'], ['away']),
};

function area(sources, folders, leftOut = []) {
  return { sources, folders, leftOut: [...LEFT_OUT, ...leftOut].map((name) => `${name}.test.ts`) };
}

/** Names of all areas, in the order of their figures. */
export const AREA_NAMES = Object.keys(AREAS);

/** Returns the sources of an area, as patterns, and its suites, relative to the folder of the tests. */
export function areaOf(name) {
  const found = AREAS[name];
  if (found === undefined) throw new Error(`There is no area "${name}". Areas: ${AREA_NAMES.join(', ')}.`);
  const { sources, folders, leftOut } = found;
  const isSuite = (file) => /(?<!\.long)\.test\.ts$/.test(file) && !leftOut.includes(file);
  return {
    sources,
    patterns: sources.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`)),
    suites: folders.flatMap((folder) =>
      readdirSync(join(ROOT, 'tests', folder))
        .filter(isSuite)
        .map((file) => join(folder, file)),
    ),
  };
}
