/** Large results of bulk scans: everything is counted, in time that is proportional to the size. */
import { textReader } from '../../../lib/bulk/lines.ts';
import { readBulkFile } from '../../../lib/features/gate/bulk-file.ts';
import { gateBulk } from '../../../lib/features/gate/gates.ts';
import { expectProportion } from '../../support/growth.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { finished, NOW, policyOf } from './support.ts';

type Row = Readonly<Record<string, unknown>>;
const block = (row: number): Row => ({
  ...{ row, action: 'block', scan_id: 'batch', prompt: `Prompt ${row}` },
  prompt_detected: { injection: true },
});

describe('a large file', () => {
  test('counts every blocked prompt, not only the kept findings', async () => {
    const rows = Array.from({ length: 20_011 }, (_, at) => block(at + 1));
    const { failed, summary, findings } = await gateBulk([{ reader: textReader(finished(rows)), name: 'run.jsonl' }], {
      now: NOW,
      policy: await policyOf('bulk: {max_blocked: 20010}'),
    });
    // Not the findings themselves: the difference of so many would take minutes to print.
    expect([failed, summary, findings.length]).toEqual([
      true,
      '20,011 of 20,011 prompts blocked, more than 20,010.',
      20_000,
    ]);
  });

  scenario('slow-inputs', 'is read in time proportional to its longest line', async () => {
    await expectProportion((size) => {
      const text = `{"row":1,"prompt":"${'x'.repeat(size * 256)}"}`;
      return () => readBulkFile(pieces(text), () => undefined);
    });
  });
});

/** Reads a text in many small pieces, as a slow disk sends them. */
function pieces(text: string) {
  let at = 0;
  return {
    next: async () => {
      const piece = text.slice(at, at + 1024);
      at += 1024;
      return piece === '' ? undefined : piece;
    },
    close: async () => undefined,
  };
}
