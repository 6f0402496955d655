import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../../commands/index.ts';
import { QUIRK_NAMES } from '../../../fixtures/service/service-state.ts';
import { ValidationError } from '../../../lib/core/errors.ts';
import { DECLARING, guardrailsSchema } from '../../../lib/features/guardrails/schema.ts';
import { yamlText } from '../../../lib/hosts/terminal/ui/yaml.ts';
import { withoutOwnKeywords } from '../../../lib/manifest/schema.ts';
import { findCommand } from '../../../lib/runtime/engine/command.ts';
import { failing } from '../../support/exchange.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/program.ts';
import { run } from '../report/support.ts';
import { changes, guardrails, plan, tenancy } from './support.ts';

const COMPLETE = `# What applications may say.
version: 1
topics:
  - name: Stock tips
    description: Advice on shares.
    examples: [Buy?, "Sell now, or wait?"]
profiles:
  - name: prod
    active: true
    policy:
      ai-security-profiles:
        - model-type: default
          model-configuration:
            model-protection:
              - {name: prompt-injection, action: block}
              - name: topic-guardrails
                action: allow
                topic-list:
                  - {action: block, topic: [{topic_name: Stock tips, revision: 1}]}
            app-protection:
              block-url-category: {member: [malware]}
            data-protection:
              database-security:
`;
const topics = (...entries: string[]) => `version: 1\ntopics:\n${entries.map((entry) => `  - {${entry}}\n`).join('')}`;
const configuration = (inside: string) =>
  `version: 1\nprofiles:\n  - name: p\n    policy:\n      ai-security-profiles:\n        - model-type: default\n          model-configuration: {${inside}}\n`;

describe('a guardrails file', () => {
  test('is read with the lines of its parts, and a member without a value counts as omitted', async () => {
    const { guardrails: read, source, undocumented } = await guardrails(COMPLETE);
    expect(read.topics).toEqual([
      { name: 'Stock tips', description: 'Advice on shares.', examples: ['Buy?', 'Sell now, or wait?'] },
    ]);
    expect(JSON.stringify(read.profiles)).not.toContain('database-security');
    expect(source.lineOf(['profiles', 0, 'active'])).toBe(9);
    expect(source.columnOf(['profiles', 0, 'active'])).toBe(5);
    expect(undocumented).toEqual([]);
  });

  test('may be JSON, and may repeat a part with an alias', async () => {
    const json = await guardrails('{"version": 1, "profiles": [{"name": "p", "policy": {}}]}');
    const yaml = await guardrails(
      'version: 1\nprofiles:\n  - {name: p, policy: &all {}}\n  - {name: q, policy: *all}\n',
    );
    expect(json.guardrails.profiles).toEqual([{ name: 'p', policy: {} }]);
    expect(yaml.guardrails.profiles).toEqual([
      { name: 'p', policy: {} },
      { name: 'q', policy: {} },
    ]);
  });

  test.each([
    { text: 'topics: []', line: 1, message: 'The document lacks "version".' },
    { text: 'version: 1\ntopisc: []', line: 2, message: 'topisc is not known.', hint: 'Did you mean "topics"?' },
    { text: topics('description: a'), line: 3, message: 'topics.0 lacks "name".' },
    { text: topics('name: 7'), line: 3, message: 'topics.0.name must be a string.' },
    { text: topics('name: " "'), line: 3, message: 'topics.0.name must be a text that is not blank' },
    {
      text: topics(`name: a, description: ${'ü'.repeat(126)}`),
      line: 3,
      message: 'topics.0.description must have at most 250 bytes; it has 252.',
    },
    { text: topics('name: a, examples: [b]'), line: 3, message: 'topics.0.examples must have at least 2 entries.' },
    { text: topics('name: a, active: true'), line: 3, message: 'topics.0.active is not known.' },
    {
      text: topics(
        'name: b',
        `name: a, description: ${'x'.repeat(250)}, examples: [${['a', 'b', 'c', 'd'].map((each) => each.repeat(200)).join(', ')}]`,
      ),
      line: 4,
      message: 'topics.1: topic_name, description, examples may have at most 1000 bytes together. They have 1051.',
    },
    { text: topics('name: a', 'name: b', 'name: a'), line: 5, message: 'topics.2.name is there twice: a.' },
    {
      text: configuration('model-protection: [{action: block}]'),
      line: 7,
      message: 'model-protection.0 lacks "name".',
    },
    {
      text: configuration('model-protection: [{name: a, action: block}, {name: a, action: alert}]'),
      line: 7,
      message: 'model-protection.1.name is there twice: a.',
    },
    {
      text: configuration(
        'model-protection: [{name: topic-guardrails, topic-list: [{action: block, topic: [{topic_name: a}]}, {action: allow, topic: [{topic_name: a}]}]}]',
      ),
      line: 7,
      message: 'topic-list.1.topic.0.topic_name is there twice: a.',
    },
    {
      text: configuration(
        'model-protection: [{name: topic-guardrails, topic-list: [{action: block, topic: [{name: a}]}]}]',
      ),
      line: 7,
      message: 'topic-list.0.topic.0 lacks "topic_name".',
    },
  ])('is refused: $message', async ({ text, line, message, hint = '' }) => {
    const error = await failing(guardrails(text));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.message).toContain(`g.yml:${line}:`);
    expect(error.message).toContain(message);
    expect(error.hint ?? '').toContain(hint);
  });

  test('is refused with every problem of its structure at once', async () => {
    const text = 'version: 2\ntopics: [{name: 1}]\nprofiles: [{policy: 1}]\n';
    const { message } = await failing(guardrails(text));
    expect(message.match(/g\.yml:\d/g)).toEqual(['g.yml:1', 'g.yml:2', 'g.yml:3', 'g.yml:3']);
  });

  test.each([
    ['version: 1'],
    ['version: 1\ntopics:\nprofiles:\n'],
    ['version: 1\ndlp: {}\n'],
    ['{"version": 1, "profiles": null}'],
  ])('that states nothing is refused, because it would seem applied: %j', async (text) => {
    const error = await failing(guardrails(text));
    expect(error).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(error.message).toBe(
      'g.yml states no topics, profiles, DLP resources or targets, so it would change nothing.',
    );
  });

  test.each([
    ['[]', 'is not a guardrails file'],
    ['version: 1\n__proto__: {topics: []}', '__proto__ is not known'],
    [`version: 1\nprofiles: [{name: p, policy: {a: ${'['.repeat(300)}${']'.repeat(300)}}}]`, 'nested deeper'],
    [
      `a: &a [x]\nb: &b [${'*a,'.repeat(50)}]\nc: &c [${'*b,'.repeat(50)}]\nd: [${'*c,'.repeat(50)}]`,
      'more than 100 aliases',
    ],
  ])('from an attacker is refused in bounded time: %j', async (text, message) => {
    expect((await failing(guardrails(text))).message).toContain(message);
  });
});

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

test('a file written by an export may have more than 1 MB, and more than 60,000 keywords', async () => {
  const keywords = Array.from({ length: 61_000 }, (_, at) => `the keyword number ${at}`);
  const dictionary = { name: 'Names', category: 'Academic', region_name: 'Germany', keywords };
  const { guardrails: read } = await guardrails(yamlText({ version: 1, dlp: { dictionaries: [dictionary] } }));
  expect(read.dlp?.dictionaries?.[0]).toEqual(dictionary);
});

test('the schema of the catalogue is generated from the declarations of the commands', async () => {
  const args = await Promise.all(
    Object.entries(DECLARING).map(async ([name, command]) => [
      name,
      (await findCommand(registry, command))?.args ?? {},
    ]),
  );
  const made = guardrailsSchema(Object.fromEntries(args));
  const { $schema, ...published } = JSON.parse(readFileSync(join(ROOT, 'catalogue', 'guardrails.schema.json'), 'utf8'));
  expect($schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(JSON.parse(JSON.stringify(withoutOwnKeywords(made)))).toEqual(published);
});
