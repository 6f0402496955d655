/** Large scans: of many prompts, and of long prompts. */
import { NetworkError } from '../../../lib/core/errors.ts';
import { refused } from '../../../lib/runtime/transport/failures.ts';
import {
  argsFor,
  bulkRoom,
  instantly,
  linesIn,
  notesOf,
  promptsFor,
  valueIn,
} from '../../commands/runtime/bulk-room.ts';
import { expectNone } from '../../support/expect-none.ts';
import { scenario } from '../../system/scenarios/claims.ts';

describe('a bulk scan', () => {
  test('sends large prompts in smaller batches, below the limit of a request', async () => {
    const prompts = Array.from({ length: 12 }, (_, index) => `${index} `.padEnd(600_000, 'x'));
    const { sent, value, bodies, files } = bulkRoom({}, instantly());
    files.contents['large.txt'] = prompts.join('\n');
    expect(await value('entry_id=large.txt', { contextLimit: 50_000_000 })).toMatchObject({ total: 12, allowed: 12 });
    expect(sent.batches.flat().sort((a, b) => a - b)).toEqual(prompts.map((_, index) => index + 1));
    expect(Math.max(...sent.batches.map((rows) => rows.length))).toBe(8);
    for (const body of bodies) expect(body.length).toBeLessThan(5 * 1024 * 1024);
  });

  test('shows an estimate from the input size, marked as such until the input was read to its end', async () => {
    const lines: string[] = [];
    const bulk = bulkRoom({ latencyMs: 100 });
    Object.assign(bulk.files.contents, { 'long.csv': `prompt\n${promptsFor(20_000).join('\n')}` });
    await bulk.value('entry_id=long.csv concurrency=1', { progress: (line) => lines.push(line) });
    expectNone(
      lines.filter((line) => !/ of (?:about 2[01],000|20,000) /.test(line)),
      'totals that are far off, or exact too early',
    );
    expect(lines[0]).toContain(' of about ');
    expect(lines.at(-1)).toContain(' of 20,000 ');
  });

  test('stops when every request fails, keeps its results, and can be resumed', async () => {
    let isDown = false;
    let failures = 0;
    const down = () => {
      if (isDown) failures += 1;
      return isDown ? refused('scanner') : undefined;
    };
    const submit = (_: readonly number[], count: number) => {
      isDown ||= count === 161;
      return down();
    };
    const { run, room } = bulkRoom({}, { submit, poll: down });
    const prompts = promptsFor(4000);
    const stopped = await run(argsFor(prompts));
    expect(stopped.failure).toBeInstanceOf(NetworkError);
    expect(stopped.failure).toMatchObject({ exitCode: 9 });
    expect(valueIn(stopped).total).toBeGreaterThan(0);
    expect(notesOf(stopped)).toContain('resume=true');
    expect(room.clock.waits.length).toBeGreaterThan(0);
    expect(failures).toBeLessThan(20);
    isDown = false;
    const rest = await run(argsFor(prompts, 'resume=true'));
    expect(rest.failure).toBeUndefined();
    expect(valueIn(rest)).toMatchObject({ total: 4000, errors: 0 });
  });

  scenario(
    ['context-size', 'truncated-said'],
    'of 50,000 prompts has exact counts, keeps the results of the highest priority, and writes all results to a file',
    async () => {
      const bulk = bulkRoom({}, instantly());
      bulk.files.contents['in.txt'] = Array.from({ length: 50_000 }, (_, index) => `Question number ${index + 1}`).join(
        '\n',
      );
      const result = await bulk.run('prompts_csv=file entry_id=in.txt', { contextLimit: 100_000 });
      const { results, ...counts } = valueIn(result);
      expect(counts).toMatchObject({ total: 50_000, blocked: 500, allowed: 49_500, errors: 0 });
      expect(JSON.stringify(result.writes[0]?.value).length).toBeLessThanOrEqual(100_000);
      expect(JSON.stringify(result.writes[0]?.value).length).toBeGreaterThan(95_000);
      const kept = results.map(({ action }) => action);
      expect(kept.lastIndexOf('block')).toBe(kept.filter((action) => action === 'block').length - 1);
      expect(result.files).toMatchObject([{ name: 'AiSec-BulkScan.jsonl', contentType: 'application/jsonl' }]);
      const rows = linesIn(bulk.files.contents['AiSec-BulkScan.jsonl']);
      expect(rows.every(({ row, prompt }, index) => row === index + 1 && prompt === `Question number ${row}`)).toBe(
        true,
      );
      expect(rows).toHaveLength(50_000);
      expect(notesOf(result)).toContain(
        `The context holds ${results.length} of 50,000 results; all of them are in AiSec-BulkScan.jsonl.`,
      );
      expect(Object.keys(bulk.files.contents)).toEqual(['in.txt', 'AiSec-BulkScan.jsonl']);
      expect(result.truncated).toMatchObject({ kept: results.length, total: 50_000, file: result.files[0] });
    },
  );
});
