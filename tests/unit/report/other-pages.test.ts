/** The pages of model scans and of bulk scans. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALLOWED } from '../../support/answers.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { finished, MODEL_SCANS, type Row } from '../gate/support.ts';
import { altering, byId, elementsOf, type Given, refusing, report, run, within } from './support.ts';

const { allowed, blocked, failed } = MODEL_SCANS;
const HOSTILE = '</style><script>alert(1)</script>" onload="x\u202e';

describe('the page of a model scan', () => {
  test('shows the outcome, the numbers, and each violation with what to do', async () => {
    const { code, page } = await report(blocked);
    expect(code).toBe(0);
    const elements = elementsOf(page);
    const [title] = elements.filter(({ name }) => name === 'h1');
    expect(title?.text).toBe('https://hub.example.com/unknown-org/chat-pickle-unlicensed BLOCKED');
    const rows = within(byId(elements, 'violations'), 'tr').slice(1);
    expect(rows.map((row) => within(row, 'span', 'pill')[0]?.text)).toEqual([
      'blocking',
      'blocking',
      'blocking',
      'blocking',
      'reported',
    ]);
    expect(rows[0]?.text).toContain('No code on load /weights/model.pkl');
    expect(within(rows[0], 'a').map(({ attributes }) => attributes['href'])).toEqual([
      'https://docs.example.com/model-rules/load-time-code',
    ]);
  });

  test('of an allowed model says that no rule is violated', async () => {
    const { code, page } = await report(allowed);
    expect(code).toBe(0);
    expect(page).toContain('ALLOWED');
  });

  test('of a failed scan does not pass', async () => {
    const { code, page, stderr } = await report(failed);
    expect(code).toBe(10);
    expect(page).toContain('<b>NO VERDICT</b>');
    expect(page).not.toContain('No rule is violated.');
    expect(within(elementsOf(page)[0], 'dl', 'tiles').map(({ text }) => text)).toEqual([
      expect.not.stringMatching(/\d/),
    ]);
    expect(page).not.toContain('Violations: 0');
    expect(stderr).toContain('This is not a pass');
  });

  const unclear: readonly { what: string; alter: NonNullable<Given['alter']> }[] = [
    { what: 'cannot be read', alter: refusing('rule-violations', 500) },
    {
      what: 'are missing although the model is blocked',
      alter: altering('rule-violations', () => ({ pagination: { total_items: 0 }, violations: [] })),
    },
  ];
  test.each(unclear)('is incomplete if the violations $what', async ({ alter }) => {
    const { code, page } = await report(blocked, { alter });
    expect(page).not.toContain('Violations: 0');
    expect(code).toBe(10);
    expect(page).toContain('<b>INCOMPLETE</b>');
    expect(page).not.toContain('No rule is violated.');
  });

  test('does not exist before the scan is decided', async () => {
    const pending = altering(`/scans/${blocked}`, (body) => ({ ...(body as object), eval_outcome: 'PENDING' }));
    const { code, page, stderr } = await report(blocked, { alter: pending });
    expect([code, page]).toEqual([8, '']);
    expect(stderr).toContain('has no result yet: its outcome is PENDING');
  });

  test('cannot be taken over by texts of a model', async () => {
    const rename = (body: unknown): unknown =>
      JSON.parse(
        JSON.stringify(body, (key, value: unknown) =>
          ['model_uri', 'file', 'description', 'rule_name', 'threat'].includes(key) ? HOSTILE : value,
        ),
      );
    const { page } = await report(blocked, { alter: altering('/scans/', rename) });
    expect(elementsOf(page).some(({ name }) => name === 'script')).toBe(false);
    expect(page).not.toContain('\u202e');
  });
});

describe('an id', () => {
  test('of neither kind of scan is not found', async () => {
    const { code, stderr } = await report('00000000-0000-4000-8000-000000000000');
    expect(code).toBe(5);
    expect(stderr).toContain('Neither a red-team scan nor a model scan has the id');
  });

  test('of a model scan is found without a licence for red teaming', async () => {
    const { code } = await report(blocked, { alter: refusing('/v1/scan/', 403) });
    expect(code).toBe(0);
  });

  test('that red teaming may not show is not reported as unknown', async () => {
    const { code } = await report('00000000-0000-4000-8000-000000000000', { alter: refusing('/v1/scan/', 403) });
    expect(code).toBe(4);
  });

  test('may be a prefix that a table shows', async () => {
    const { code, stdout } = await run(['report', blocked.slice(0, 8), '--dry-run', '--html', 'never-written.html'], {
      terminal: { columns: 120, rows: 24 },
    });
    expect(code).toBe(0);
    expect(stdout).toContain('chat-pickle-unlicensed would be written');
  });
});

/** Writes the report for a run's file. */
async function bulkReport(rows: readonly Row[], { isFinished = true } = {}) {
  const folder = temporaryFolder('bulk-page');
  const [input, file] = [join(folder, 'run.jsonl'), join(folder, 'b.html')];
  const text = finished(rows.map((row, at) => ({ row: at + 1, scan_id: `scan-${at + 1}`, ...row })));
  writeFileSync(input, isFinished ? text : text.replace(/.*bulk-end.*\n/, ''));
  const alter: Given['alter'] = (path) => {
    throw new Error(`A request to ${path}.`);
  };
  const { code, stderr } = await run(['report', input, '--html', file], { alter });
  return { code, stderr, page: existsSync(file) ? readFileSync(file, 'utf8') : '' };
}

const block = (prompt: string, ...detectors: readonly string[]): Row => ({
  ...{ action: 'block', prompt },
  prompt_detected: Object.fromEntries(detectors.map((name) => [name, true])),
});

describe('the page of a bulk scan', () => {
  test('counts the prompts, the detectors, and lists the blocked prompts', async () => {
    const rows = [block('one', 'injection'), { ...ALLOWED, prompt: 'two' }, block('three', 'injection', 'url_cats')];
    const { code, page } = await bulkReport(rows);
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

  test('describes its bars correctly', async () => {
    const { page } = await bulkReport([block('one', 'injection'), block('two', 'dlp')]);
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
    const { code, page, stderr } = await bulkReport(rows, { isFinished });
    expect(code).toBe(10);
    expect(stderr).toContain(says);
    expect(page).toContain('<b>INCOMPLETE</b>');
  });

  test('has the first prompts of a long run, and counts all', async () => {
    const { page } = await bulkReport(Array.from({ length: 1000 }, (_, at) => block(`prompt ${at}`, 'dlp')));
    expect(page).toContain('The page has the first 200 of 1,000 blocked prompts.');
    expect(page).toContain('1,000 of 1,000');
    expect(page.length).toBeLessThan(80_000);
  });

  test('cannot be taken over by a prompt', async () => {
    const { page } = await bulkReport([block(HOSTILE, HOSTILE)]);
    expect(elementsOf(page).some(({ name }) => name === 'script')).toBe(false);
    expect(page).not.toContain('\u202e');
  });

  test('of a file that does not exist is not written', async () => {
    const ended = await report('/nowhere/run.jsonl');
    expect(ended).toMatchObject({ code: 5, page: '', stderr: expect.stringContaining('does not exist') });
  });
});
