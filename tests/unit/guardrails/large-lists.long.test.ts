/** A dictionary may have tens of thousands of keywords. */
import { planLines } from '../../../lib/features/guardrails/terminal/plan/plan-view.ts';
import { PLAIN } from '../../../lib/hosts/terminal/ui/style.ts';
import { expectProportion } from '../../support/growth.ts';

const PAGE = { width: 80, measure: (text: string) => text.length, style: PLAIN };
const lines = (before: readonly string[], after: readonly string[]) =>
  planLines(
    [{ kind: 'dictionary', name: 'd', verb: 'update', members: [{ path: ['keywords'], before, after }] }],
    PAGE,
  ).slice(1);

test('repeated entries of a list are compared by their count', () => {
  expect(lines(['a', 'a', 'b'], ['a', 'c', 'c'])).toEqual(['    keywords: - a  - b  + c  + c']);
});

test('a long list is shown in linear time', async () => {
  await expectProportion((size) => {
    const [before, after] = ['a', 'b'].map((mark) => Array.from({ length: 24 * size }, (_, at) => `${mark}${at}`));
    return () => lines(before ?? [], after ?? []);
  });
});
