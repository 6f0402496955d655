import { MODEL_SCANS } from '../gate/support.ts';
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

  test('of a failed scan is no pass', async () => {
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

  test('that red teaming may not show is not called unknown', async () => {
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
