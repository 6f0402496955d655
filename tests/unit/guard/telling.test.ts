/** Which of several decisions counts. */
import { decisionOfAll, moreTelling } from '../../../lib/guard/decisions.ts';
import type { Decision } from '../../../lib/guard/types.ts';

const of = (more: Partial<Decision>): Decision => ({ kind: 'output', action: 'allow', ms: 1, cached: false, ...more });
/** From the least telling. */
const RANKED = [of({}), of({ action: 'mask', text: 'X' }), of({ unscanned: 'network' }), of({ action: 'block' })];

test('a block tells more than a part without a verdict, that more than a mask, that more than an allow', () => {
  for (const [at, decision] of RANKED.entries()) {
    for (const less of RANKED.slice(0, at)) {
      expect(moreTelling(decision, less)).toBe(decision);
      expect(moreTelling(less, decision)).toBe(decision);
    }
    const same = { ...decision };
    expect(moreTelling(same, decision)).toBe(decision);
    expect(moreTelling(undefined, decision)).toBe(decision);
  }
});

test('of several scans the first of the most telling counts, and no mask', () => {
  const [allow, mask] = RANKED;
  expect(decisionOfAll([])).toBeUndefined();
  expect(decisionOfAll([of({ scanId: '1' }), of({ scanId: '2' })])).toMatchObject({ scanId: '1' });
  expect(decisionOfAll([allow as Decision, mask as Decision])).toEqual(of({ action: 'block' }));
  expect(decisionOfAll([of({ cached: true }), of({})])?.cached).toBe(false);
  expect(decisionOfAll([of({ cached: true }), of({ cached: true })])?.cached).toBe(true);
});
