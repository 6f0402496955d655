import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rowDigest } from '../../../lib/bulk/end.ts';
import { ALLOWED } from '../../support/answers.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { byId, elementsOf, run, within } from './support.ts';

const HOSTILE = '</style><script>alert(1)</script>" onload="x\u202e';

interface Row {
  readonly action: string;
  readonly prompt?: string;
  readonly prompt_detected?: Readonly<Record<string, boolean>>;
  readonly timeout?: boolean;
}

/** Writes the file of a run, with the record at its end. */
function fileOf(rows: readonly Row[], { isFinished = true } = {}): string {
  const file = join(temporaryFolder('bulk'), 'run.jsonl');
  const digest = rowDigest();
  const lines = rows.map((row, at) => JSON.stringify({ row: at + 1, scan_id: `scan-${at + 1}`, ...row }));
  for (const line of lines) digest.add(line);
  const end = JSON.stringify({ aisec: 'bulk-end', rows: rows.length, digest: digest.text(), profile: 'prod' });
  writeFileSync(file, [...lines, ...(isFinished ? [end] : []), ''].join('\n'));
  return file;
}

async function bulkReport(input: string) {
  const file = join(temporaryFolder('bulk-page'), 'b.html');
  const { code, stdout, stderr } = await run(['report', input, '--html', file]);
  return { code, stdout, stderr, page: existsSync(file) ? readFileSync(file, 'utf8') : '' };
}

const block = (prompt: string, ...detectors: readonly string[]): Row => ({
  ...{ action: 'block', prompt },
  prompt_detected: Object.fromEntries(detectors.map((name) => [name, true])),
});

describe('the page of a bulk scan', () => {
  test('counts the prompts, the detectors, and lists the blocked prompts', async () => {
    const rows = [block('one', 'injection'), { ...ALLOWED, prompt: 'two' }, block('three', 'injection', 'url_cats')];
    const { code, page } = await bulkReport(fileOf(rows));
    expect(code).toBe(0);
    const elements = elementsOf(page);
    expect(within(byId(elements, 'detectors'), 'li').map(({ text }) => text)).toEqual([
      'Injection 100 % 2 of 2',
      'Url categories 50 % 1 of 2',
    ]);
    expect(
      within(byId(elements, 'blocked'), 'tr')
        .slice(1)
        .map(({ text }) => text),
    ).toEqual(['Row 1Injection one', 'Row 3Injection Url categories three']);
    expect(page).toContain('66.67\u00a0% of the prompts');
    expect(page).toContain('the bars add up to more than');
    expect(page).toMatch(/<dt>Finished<\/dt><dd>\d{4}-\d\d-\d\d|<dt>Finished<\/dt><dd><time/);
    expect(page).not.toContain('INCOMPLETE');
  });

  test('says only what holds for its bars', async () => {
    const { page } = await bulkReport(fileOf([block('one', 'injection'), block('two', 'dlp')]));
    expect(page).not.toContain('add up');
  });

  test.each([
    {
      what: 'a run that did not finish',
      rows: [{ ...ALLOWED }],
      isFinished: false,
      says: 'not the file of a finished run',
    },
    { what: 'a row without a verdict', rows: [{ action: 'error' }], isFinished: true, says: 'no verdict for 1 prompt' },
    {
      what: 'a detector that timed out',
      rows: [{ ...ALLOWED, timeout: true }],
      isFinished: true,
      says: 'timed out or failed in 1 prompt',
    },
    { what: 'no rows', rows: [], isFinished: true, says: 'it has no rows' },
  ])('is incomplete, with exit code 10, for $what', async ({ rows, isFinished, says }) => {
    const { code, page, stderr } = await bulkReport(fileOf(rows, { isFinished }));
    expect(code).toBe(10);
    expect(stderr).toContain(says);
    expect(page).toContain('<b>INCOMPLETE</b>');
  });

  test('has the first prompts of a long run, and counts all', async () => {
    const { page } = await bulkReport(fileOf(Array.from({ length: 1000 }, (_, at) => block(`prompt ${at}`, 'dlp'))));
    expect(page).toContain('The page has the first 200 of 1,000 blocked prompts.');
    expect(page).toContain('1,000 of 1,000');
    expect(page.length).toBeLessThan(80_000);
  });

  test('cannot be taken over by a prompt', async () => {
    const { page } = await bulkReport(fileOf([block(HOSTILE, HOSTILE)]));
    expect(elementsOf(page).some(({ name }) => name === 'script')).toBe(false);
    expect(page).not.toContain('\u202e');
  });

  test('needs neither a tenant nor a request', async () => {
    const file = join(temporaryFolder('bulk-page'), 'b.html');
    const { code } = await run(['report', fileOf([block('one', 'dlp')]), '--html', file], {
      alter: (path) => {
        throw new Error(`A request to ${path}.`);
      },
    });
    expect(code).toBe(0);
  });

  test('of a file that does not exist is not written', async () => {
    const { code, page, stderr } = await bulkReport('/nowhere/run.jsonl');
    expect([code, page]).toEqual([5, '']);
    expect(stderr).toContain('does not exist');
  });
});
