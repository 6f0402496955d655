/**
 * Areas of the code for mutation testing: their sources, and the suites that must detect a mutant in them. An area has
 * only its own suites, so a mutant that only another area's suite would detect survives. Short tests must find every
 * fault that they can reach, so long tests are left out, and so are tests that start programs, read documents or wait
 * longer than a mutant may.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';

const LEFT_OUT = ['document', 'documents', 'large'];

/** By name: sources, suites or folders of them, and names of further tests that are left out. */
const AREAS = {
  arguments: [['lib/runtime/arguments'], ['unit/arguments']],
  api: [['lib/runtime/api'], ['unit/api']],
  output: [['lib/runtime/output'], ['unit/output']],
  redaction: [['lib/core/redaction'], ['unit/redaction', 'unit/log']],
  http: [
    ['lib/hosts/http/access', 'lib/hosts/http/responses/idempotency.ts'],
    ['hosts/http'],
    ['described', 'record', 'tls', 'bounds'],
  ],
  mcp: [['lib/hosts/mcp/call-tool.ts', 'lib/hosts/mcp/reach.ts', 'lib/hosts/mcp/deletion.ts'], ['hosts/mcp']],
  // Only jest can replace functions of Node, as `kept` does.
  playbook: [['lib/playbook'], ['unit/playbook'], ['kept', 'moving']],
  // The adapters have their own tests, and import their frameworks.
  guard: [
    ['lib/guard/*.ts', 'lib/guard/readable', 'lib/core/typed-options.ts'],
    ['unit/guard'],
    [
      ...['ai-sdk', 'ai-sdk-tools', 'behaviours', 'chat', 'claude-agent', 'http', 'langchain', 'mcp', 'openai-agents'],
      ...['proxy-example', 'trials'],
    ],
  ],
  gate: [
    ['lib/features/gate/*.ts', 'lib/features/gate/policy', 'lib/features/scans/tested.ts'],
    ['unit/gate', 'unit/report/tested.test.ts'],
  ],
  plan: [
    ['lib/features/guardrails/*.ts', 'lib/features/guardrails/dlp', 'lib/features/guardrails/targets'],
    ['unit/guardrails'],
  ],
  runs: [['lib/runs'], ['unit/runs']],
  // Waits for a Redis that does not respond.
  queue: [['lib/runs/redis'], ['unit/queue'], ['away']],
};

export const AREA_NAMES = Object.keys(AREAS);

/** Returns the sources of an area, as patterns, and its suites, relative to the project. */
export function areaOf(name) {
  if (!Object.hasOwn(AREAS, name)) throw new Error(`There is no area "${name}". Areas: ${AREA_NAMES.join(', ')}.`);
  const [sources, folders, leftOut = []] = AREAS[name];
  const skipped = [...LEFT_OUT, ...leftOut].map((test) => `${test}.test.ts`);
  const isSuite = (file) => /(?<!\.long)\.test\.ts$/.test(file) && !skipped.includes(file);
  const suitesIn = (path) =>
    isSuite(path)
      ? [join('tests', path)]
      : readdirSync(join(ROOT, 'tests', path))
          .filter(isSuite)
          .map((file) => join('tests', path, file));
  return {
    patterns: sources.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`)),
    suites: folders.flatMap(suitesIn),
  };
}
