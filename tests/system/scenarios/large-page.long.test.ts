/** A million records leave a large heap, so growth is measured in another file. */

import { FORMATS } from '../../../lib/hosts/terminal/line/options.ts';
import { renderResult } from '../../../lib/hosts/terminal/result/results.ts';
import { measureFor } from '../../../lib/hosts/terminal/ui/measure.ts';
import { PLAIN } from '../../../lib/hosts/terminal/ui/style.ts';
import { mergeContext } from '../../../lib/runtime/output/merge.ts';
import { answering } from '../../support/scripted.ts';
import { scenario } from './claims.ts';

describe('one page of a million records', () => {
  const MILLION = 1_000_000;
  const text = `{"keys":[${'"key",'.repeat(MILLION - 1)}"last"],"pagination":{"total_items":${MILLION}}}`;
  const line = `!aisec-model-security-labels-keys limit=${MILLION}`;

  scenario(
    'large-page',
    'is printed in every format, truncated to the limit of the context',
    async () => {
      const result = await answering(() => ({ text })).run(line);
      expect(result.readable.notes).toEqual([expect.stringContaining(`of ${MILLION} records`)]);
      const place = {
        terminal: true,
        width: 80,
        style: PLAIN,
        columns: ['keys'],
        measure: await measureFor(result.readable),
      };
      for (const format of FORMATS) expect((await renderResult(result, format, place)).length).toBeGreaterThan(100_000);
      expect(mergeContext(mergeContext({}, result.writes), result.writes)).toMatchObject({ AiSec: expect.anything() });
    },
    120_000,
  );

  scenario('large-page', 'is streamed', async () => {
    let streamed = 0;
    const stream = () => {
      streamed += 1;
    };
    const many = `{"custom_topics":[${'{"topic_id":"t"},'.repeat(299_999)}{"topic_id":"t"}]}`;
    const room = answering(() => ({ text: many }));
    const { readable } = await room.run('!aisec-runtime-topics-list limit=1000000', { stream });
    expect([streamed, readable.tables[0]?.rows.length]).toEqual([300_000, 0]);
  });
});
