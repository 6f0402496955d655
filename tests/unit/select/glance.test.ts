/** One line about a result. */
import { NotFoundError } from '../../../lib/core/errors.ts';
import { listOf, verticalTable } from '../../../lib/runtime/output/readable.ts';
import { string } from '../../../lib/runtime/output/record.ts';
import type { Result } from '../../../lib/runtime/output/result.ts';
import { glanceOf } from '../../../lib/runtime/select/glance.ts';

const BASE = {
  ...{ command: 'a', writes: [], raw: {}, showRaw: false, simulated: false, warnings: [], planned: false, files: [] },
  readable: { title: 'Red-Team Scan', simulated: false, tables: [], notes: [] },
} as const satisfies Result;

/** A record with these fields and this headline. */
function single(pairs: readonly (readonly [string, string])[], headline: readonly string[] = []): Partial<Result> {
  const fields = pairs.map(([name]) => [name, string('')] as const);
  const table = { ...verticalTable(pairs), of: { many: false, fields, view: { headline } } };
  return { readable: { ...BASE.readable, tables: [table] } };
}

function many(title: string, count: number): Partial<Result> {
  const rows = Array.from({ length: count }, (_, id) => ({ id }));
  return { readable: { ...BASE.readable, title, tables: [listOf(rows, { columns: ['id'] }, ['id'])] } };
}

const cut = (kept: number, total: number | null) => ({ truncated: { kept, total, note: '', isForSize: false } });
const tally = {
  ...{ title: '', noun: 'prompt', total: 1240, milliseconds: 1, parts: [], file: undefined, next: '' },
  outcomes: [
    ['blocked', 40],
    ['allowed', 1200],
  ],
} as const;

it.each<{ what: string; result: Partial<Result>; summary: string; verdict?: string; count?: number }>([
  {
    what: 'a verdict',
    result: single(
      [
        ['decision', 'block'],
        ['category', 'malicious'],
        ['id', '1'],
      ],
      ['decision', 'category', 'profile'],
    ),
    ...{ summary: 'BLOCK malicious', verdict: 'block' },
  },
  {
    what: 'a verdict, and what was detected',
    result: {
      ...single([['decision', 'block']], ['decision']),
      writes: [{ path: 'A', value: { prompt_detected: { topic_violation: true, dlp: false }, detected: true } }],
    },
    ...{ summary: 'BLOCK: topics', verdict: 'block' },
  },
  {
    what: "a verdict in the service's words",
    result: single(
      [
        ['eval_outcome', 'BLOCKED'],
        ['model_uri', 'a/b'],
      ],
      ['eval_outcome', 'model_uri'],
    ),
    ...{ summary: 'BLOCKED a/b', verdict: 'BLOCKED' },
  },
  {
    what: 'the state of a job that only waits',
    result: single(
      [
        ['name', 'Probe'],
        ['status', 'QUEUED'],
      ],
      ['status', 'name'],
    ),
    ...{ summary: 'queued Probe', verdict: 'QUEUED' },
  },
  {
    what: 'a headline that is not set',
    result: single([['name', 'Probe']], ['status', 'name']),
    summary: 'Red-Team Scan: Probe',
  },
  {
    what: 'a name',
    result: single([
      ['id', '1'],
      ['topic_name', 'Payroll'],
    ]),
    summary: 'Red-Team Scan: Payroll',
  },
  {
    what: 'a message',
    result: single([
      ['id', '1'],
      ['message', 'It is\ngone.'],
    ]),
    summary: 'Red-Team Scan: It is gone.',
  },
  { what: 'neither', result: single([['id', '1']]), summary: 'Red-Team Scan: 1' },
  { what: 'nothing', result: {}, summary: 'Red-Team Scan' },
  { what: 'no record', result: many('Red-Team Scans', 0), summary: 'No red-team scans', count: 0 },
  { what: 'one record', result: many('Red-Team Scans', 1), summary: '1 red-team scan', count: 1 },
  { what: 'records of something', result: many('Attacks of the Scan', 3), summary: '3 attacks', count: 3 },
  { what: 'a cut list', result: { ...many('Attacks', 3), ...cut(3, 1200) }, summary: '3 of 1,200 attacks', count: 3 },
  {
    what: 'a cut list of unknown length',
    result: { ...many('Attacks', 3), ...cut(3, null) },
    summary: '3+ attacks',
    count: 3,
  },
  {
    what: 'many scans',
    result: { ...single([['total', '1240']]), tally, verdict: 'block' },
    ...{ summary: '1,240 prompts: blocked 40, allowed 1,200', verdict: 'block' },
  },
  {
    what: 'a dry run',
    result: {
      planned: true,
      verdict: { doubt: 'Nothing was scanned.' },
      readable: {
        ...BASE.readable,
        tables: [
          verticalTable([
            ['Method', 'POST'],
            ['Address', 'https://a/b'],
          ]),
        ],
      },
    },
    summary: 'Dry run: POST https://a/b',
  },
  {
    what: 'a failure',
    result: { ...many('Attacks', 2), failure: new NotFoundError('It has gone.') },
    ...{ summary: 'It has gone.', count: 2 },
  },
  {
    what: 'a job whose wait failed',
    result: { ...single([['status', 'QUEUED']], ['status']), failure: new NotFoundError('It has gone.') },
    summary: 'It has gone.',
  },
  {
    what: 'a long name',
    result: single([['name', `${'x'.repeat(184)}😀y`]]),
    summary: `Red-Team Scan: ${'x'.repeat(184)}…`,
  },
])('$what', ({ result, summary, verdict = null, count = null }) => {
  expect(glanceOf({ ...BASE, ...result })).toEqual({ verdict, summary, count });
});
