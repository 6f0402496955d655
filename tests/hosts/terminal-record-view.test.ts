/** A single record on a terminal: its first line, labels, rows and notes. */
import { registry } from '../../commands/index.ts';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { plainMeasure } from '../../lib/hosts/terminal/render/measure.ts';
import { readableInTerminal } from '../../lib/hosts/terminal/render/records/list.ts';
import { plainHeading } from '../../lib/hosts/terminal/render/sanitize.ts';
import { COLOUR, PLAIN } from '../../lib/hosts/terminal/render/style.ts';
import { renderReadable } from '../../lib/hosts/terminal/render/table.ts';
import { heading, type ShownRecord, verticalTable } from '../../lib/output/readable.ts';
import { boolean, string } from '../../lib/output/record.ts';
import { commandOf } from '../support/declared.ts';
import { expectNone } from '../support/expect-none.ts';
import { LINES } from '../support/lines.ts';
import { warRoom } from '../support/simulated.ts';

/** Renders a record of texts. */
function shown(values: Readonly<Record<string, string>>, headline: readonly string[], style = PLAIN): Promise<string> {
  const fields = Object.keys(values).map((name) => [name, string('A.')] as const);
  const of: ShownRecord = { many: false, fields, view: { headline } };
  const table = { ...verticalTable(Object.entries(values)), of };
  const readable = { title: 'Scan', simulated: false, tables: [table], notes: [] };
  return renderReadable(readable, { width: 80, style, measure: plainMeasure });
}

describe('a label of a record', () => {
  test.each([
    ['UUID', 'ID'],
    ['Security Group UUID', 'Security Group ID'],
    ['Tr ID', 'Correlation ID'],
  ])('%s reads %s, as in lists', async (heading, label) => {
    expect(await shown({ [heading]: 'a' }, [])).toBe(`Scan\n${label}  a`);
  });

  test('stands for one id of a record', async () => {
    const twice: string[] = [];
    for (const load of Object.values(registry)) {
      const { name, output } = await load();
      const fields = Object.entries(output.record.fields).filter(([, { hidden }]) => hidden !== true);
      const all = fields.map(([field, { heading: own }]) => plainHeading(own ?? heading(field)));
      const labels = all.filter((label) => label.endsWith('ID'));
      twice.push(...labels.filter((label, at) => labels.indexOf(label) < at).map((label) => `${name}: ${label}`));
    }
    expectNone(twice, 'label of two ids');
  });
});

test.each([
  ['true', 'Scan\nTimeout  yes'],
  ['false', 'Scan'],
])('a timeout that is %s reads %j', async (text, wanted) => {
  const of: ShownRecord = { many: false, fields: [['timeout', boolean('A.')]], view: {} };
  const table = { ...verticalTable([['Timeout', text]]), of };
  const readable = { title: 'Scan', simulated: false, tables: [table], notes: [] };
  expect(await renderReadable(readable, { width: 80, style: PLAIN, measure: plainMeasure })).toBe(wanted);
});

describe('the first line of a record', () => {
  test.each([
    [{ status: 'COMPLETED', name: 'monthly' }, '✓ done  monthly'],
    [{ status: 'PARTIALLY_COMPLETE', name: 'monthly' }, '◐ partial  monthly'],
    [{ status: 'SOMETHING_NEW', name: 'monthly' }, 'SOMETHING_NEW  monthly'],
    [{ action: 'block', category: 'malicious' }, 'BLOCK  malicious'],
    [{ eval_outcome: 'BLOCKED', model_uri: 'hub.example.com/a' }, 'BLOCKED  hub.example.com/a'],
  ])('of %j is %j', async (values, wanted) => {
    expect(await shown(values, Object.keys(values))).toBe(wanted);
  });

  test('is the title without a state', async () => {
    expect(await shown({ name: 'monthly' }, ['status', 'name'])).toBe('Scan\nname  monthly');
  });

  test('has colour in the mark alone', async () => {
    const text = await shown({ status: 'COMPLETED', name: 'monthly' }, ['status', 'name'], COLOUR);
    expect(text).toBe('\x1b[1m\x1b[32m✓\x1b[39m done\x1b[22m  monthly');
  });
});

describe('the note about a hidden value', () => {
  test.each([
    ['registry-credentials-get', 'token: hidden here; shown by --output json.'],
    [
      `instances-get tenant_id=${RED_TEAM_IDS.tenant}`,
      'deployment_profiles: shown without its secrets; all of it with --output json.',
    ],
  ])('of redteam-%s is %s', async (line, note) => {
    expect(await notesOf(`!aisec-redteam-${line}`)).toContain(note);
  });

  test('names the place of a secret that is shown only once', async () => {
    const line = `!aisec-runtime-api-keys-create ${LINES['aisec-runtime-api-keys-create']}`;
    expect((await notesOf(line)).join()).toContain('shown this one time only: it is in the context, at AiSec.');
  });
});

async function notesOf(line: string): Promise<readonly string[]> {
  const result = await warRoom().run(line);
  return readableInTerminal(result, commandOf(result.command)).notes;
}
