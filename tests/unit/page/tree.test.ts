/** The rows of the context's tree. */
import { resolveReferences } from '../../../lib/runtime/arguments/references.ts';
import { rowsOf, STEP } from '../../../web/room/tree.ts';

const CONTEXT = {
  AiSec: {
    Topic: [
      { topic_id: 'a', topic_name: 'Stock tips' },
      { topic_id: 'b', topic_name: 'Payroll' },
    ],
    Scan: { action: 'block', 'odd name': { inner: 1 }, none: null, empty: [], text: 'x\n'.repeat(100) },
  },
};
const idOf = (...steps: readonly (string | number)[]) => JSON.stringify(steps);
const visible = (context: unknown, open: readonly string[], shown: ReadonlyMap<string, number> = new Map()) =>
  rowsOf(context, { open: new Set(open), shown });

it('A folded context is one row for each root', () => {
  expect(visible(CONTEXT, [])).toMatchObject([
    { name: 'AiSec', path: 'AiSec', depth: 0, isFoldable: true, isOpen: false },
  ]);
  expect(visible({}, [])).toEqual([]);
});

it.each([
  { of: 'a list', open: [idOf('AiSec'), idOf('AiSec', 'Topic')], names: ['AiSec', 'Topic', '[0]', '[1]', 'Scan'] },
  { of: 'a closed parent', open: [idOf('AiSec', 'Topic')], names: ['AiSec'] },
  { of: 'an empty list', open: [idOf('AiSec'), idOf('AiSec', 'Scan', 'empty')], names: ['AiSec', 'Topic', 'Scan'] },
])('An open row shows the items of $of', ({ open, names }) => {
  expect(visible(CONTEXT, open).map(({ name }) => name)).toEqual(names);
});

it('The path of each row refers to its value, and values without a reference have no path', () => {
  const open = [['AiSec'], ['AiSec', 'Topic'], ['AiSec', 'Topic', 1], ['AiSec', 'Scan'], ['AiSec', 'Scan', 'odd name']];
  const rows = visible(
    CONTEXT,
    open.map((steps) => JSON.stringify(steps)),
  );
  for (const { id, path } of rows) {
    const steps = JSON.parse(id) as (string | number)[];
    const value = steps.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown>)[step], CONTEXT);
    if (path !== undefined) expect(resolveReferences(`\${${path}}`, CONTEXT, () => undefined)).toEqual(value);
  }
  expect(rows.filter(({ path }) => path === undefined).map(({ name }) => name)).toEqual(['odd name', 'inner']);
});

it.each([
  [['AiSec', 'Topic'], '2 items'],
  [['AiSec', 'Topic', 0], 'Stock tips'],
  [['AiSec', 'Scan', 'action'], 'block'],
  [['AiSec', 'Scan', 'none'], 'null'],
  [['AiSec', 'Scan', 'empty'], '0 items'],
  [['AiSec', 'Scan', 'text'], `${'x '.repeat(40)}…`],
])('The preview of %j is %p', (steps, preview) => {
  const rows = visible(CONTEXT, [idOf('AiSec'), idOf('AiSec', 'Topic'), idOf('AiSec', 'Scan')]);
  expect(rows.find(({ id }) => id === idOf(...steps))?.preview).toBe(preview);
});

it('A long list is shown in steps, and its last row counts the rest', () => {
  const context = { AiSec: Array.from({ length: 10_000 }, (_, at) => at) };
  const open = [idOf('AiSec')];
  const first = visible(context, open);
  expect([first.length, first.at(-1)?.left]).toEqual([1 + STEP + 1, 10_000 - STEP]);
  const more = visible(context, open, new Map([[idOf('AiSec'), 2 * STEP]]));
  expect([more.length, more.at(-1)?.left]).toEqual([1 + 2 * STEP + 1, 10_000 - 2 * STEP]);
  expect(new Set(more.map(({ id }) => id)).size).toBe(more.length);
});
