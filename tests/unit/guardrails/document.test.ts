/** The example of `docs/guardrails.md`, and a tenant's own profiles in a file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import { QUIRK_NAMES } from '../../../fixtures/service/service-state.ts';
import { yamlText } from '../../../lib/hosts/terminal/render/yaml.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/program.ts';
import { run } from '../report/support.ts';
import { changes, guardrails, plan, tenancy } from './support.ts';

const document = readFileSync(join(ROOT, 'docs', 'guardrails.md'), 'utf8');
const [example = ''] = Array.from(document.matchAll(/^```yaml\n([\s\S]*?)^```/gm), ([, text]) => text);
const [, options = '', shown = ''] =
  /^```\n\$ aisec --simulate apply guardrails\.yml(.*)\n([\s\S]*?)^```/m.exec(document) ?? [];

describe('the example of the document', () => {
  test('has the output of the document', async () => {
    const path = join(temporaryFolder('document'), 'guardrails.yml');
    writeFileSync(path, example);
    const { code, stdout, stderr } = await run(['apply', path, ...options.trim().split(' '), '--output', 'table']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(shown);
  });

  test('can be applied, and then has no difference', async () => {
    const service = createService();
    const path = join(temporaryFolder('document'), 'guardrails.yml');
    writeFileSync(path, example);
    expect(await run(['apply', path, '--yes'], { service })).toMatchObject({ code: 0, stderr: '' });
    expect((await run(['apply', path, '--dry-run', '--exit-code'], { service })).code).toBe(0);
  });
});

test.each([[], ...QUIRK_NAMES.filter((name) => /^(?:null|no-nulls|new)/.test(name)).map((name) => [name])])(
  'profiles and topics of a tenant can be pasted: no note, and no difference, with the quirk %s',
  async (...quirks: readonly string[]) => {
    const tenant = tenancy({ quirks });
    const profiles = [];
    for (const { name } of await tenant.room.values('!aisec-runtime-profiles-list')) {
      const { active, policy } = await tenant.room.value(`!aisec-runtime-profiles-get ${String(name)}`);
      profiles.push({ name, active, policy });
    }
    const listed = await tenant.room.values('!aisec-runtime-topics-list');
    const topics = listed.map(({ topic_name: name, description, examples }) => ({ name, description, examples }));
    const made = await plan({ topics, profiles }, tenant);
    expect(made.notes).toEqual([]);
    const found = changes(made);
    expect(found).toHaveLength(7);
    expect(found.filter((change) => !change.startsWith('unchanged'))).toEqual([]);
  },
);

test.each([
  {
    what: 'more than 1 MB',
    count: 30_000,
    word: (at: number) => `a keyword of an average length, the one of number ${at}`,
  },
  { what: 'more than 60,000 keywords', count: 70_000, word: (at: number) => `k${at}` },
])('a file as an export writes it may have $what', async ({ count, word }) => {
  const keywords = Array.from({ length: count }, (_, at) => word(at));
  const dictionary = { name: 'Names', category: 'Academic', region_name: 'Germany', keywords };
  const { guardrails: read } = await guardrails(yamlText({ version: 1, dlp: { dictionaries: [dictionary] } }));
  expect(read.dlp?.dictionaries?.[0]).toEqual(dictionary);
});
