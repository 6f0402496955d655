/** The paths by which the tree of the context names its values. */
import { resolveReferences } from '../../../lib/runtime/arguments/references.ts';
import { pathTo } from '../../../web/line/text.ts';

const CONTEXT = {
  AiSec: {
    Topic: [{ topic_id: 'a' }, { topic_id: 'b' }],
    Scan: { action: 'block', 'odd name': { inner: 1 }, none: null, empty: [] },
  },
};
const pathOf = (steps: readonly (string | number)[]) => steps.reduce<string | undefined>(pathTo, '');

it.each([
  [['AiSec'], CONTEXT.AiSec],
  [['AiSec', 'Topic'], CONTEXT.AiSec.Topic],
  [['AiSec', 'Topic', 1], { topic_id: 'b' }],
  [['AiSec', 'Topic', 1, 'topic_id'], 'b'],
  [['AiSec', 'Scan', 'none'], null],
])('The path of %j refers to its value', (steps, value) => {
  expect(resolveReferences(`\${${pathOf(steps)}}`, CONTEXT, () => undefined)).toEqual(value);
});

it.each([[['AiSec', 'Scan', 'odd name']], [['AiSec', 'Scan', 'odd name', 'inner']], [[0]]])(
  '%j has no path',
  (steps) => {
    expect(pathOf(steps)).toBeUndefined();
  },
);
