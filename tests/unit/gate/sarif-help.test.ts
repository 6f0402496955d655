/** Help of SARIF rules, and addresses that the service recommends: text of the service is data. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from '../../../lib/features/gate/decide.ts';
import { remediationOf } from '../../../lib/features/gate/finding.ts';
import { sarif } from '../../../lib/features/gate/sarif.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { run } from '../report/support.ts';
import { sarifSchema } from './sarif-schema.ts';
import { finished, MODEL_SCANS, modelVerdict, redTeamVerdict } from './support.ts';

interface Rule {
  id: string;
  shortDescription: { text: string };
  fullDescription: { text: string };
  help: { text: string; markdown: string };
  helpUri: string;
}

interface Found {
  rules: readonly Rule[];
  results: readonly { ruleId: string; message: { text: string }; properties?: { remediation?: unknown } }[];
}

function logOf(text: string): Found {
  const log = JSON.parse(text);
  if (!sarifSchema(log)) throw new Error(JSON.stringify(sarifSchema.errors));
  const [{ tool, results }] = JSON.parse(text).runs;
  return { rules: tool.driver.rules, results };
}

const written = (verdict: Verdict) => logOf(sarif(verdict, '1'));
const URL = 'https://docs.example.com/model-rules/load';
const STEPS = ['Do not load the file.', 'Ask for safetensors.'];

/** The SARIF of a blocked model with a violation for each remediation. */
const blockedBy = async (...remediations: readonly unknown[]) => {
  const violations = remediations.map((remediation, at) => ({
    ...{ rule_name: 'No code', rule_description: 'Loading must not run code.', rule_instance_state: 'BLOCKING' },
    ...{ file: `${at}.pkl`, description: 'Runs code.', remediation },
  }));
  return written(await modelVerdict({ uuid: 'u', model_uri: 'm', eval_outcome: 'BLOCKED' }, violations));
};

const GENERAL = /^https:\/\/genai\.owasp\.org\//;

test('the help of a model rule explains the rule and what to do, with the steps and address of the service', async () => {
  const { rules, results } = await blockedBy({ steps: STEPS, url: URL }, { steps: STEPS, url: URL });
  expect(rules).toHaveLength(1);
  expect(rules[0]).toMatchObject({ id: 'aisec/model/no-code', helpUri: URL });
  for (const help of [rules[0]?.help.text, rules[0]?.help.markdown]) {
    expect(help).toContain('Loading must not run code.');
    expect(help).toContain('Do not load the file. Ask for safetensors.');
    expect(help).toContain(URL);
    expect(help).toContain('accepted');
  }
  expect(rules[0]?.help.markdown).toContain('**What to do.**');
  expect(results.map(({ message, properties }) => ({ text: message.text, properties }))).toEqual(
    results.map(() => ({
      text: `Runs code. What to do: ${URL}`,
      properties: { remediation: { url: URL, steps: STEPS } },
    })),
  );
});

test.each([
  {
    what: 'two addresses',
    remediations: [
      { steps: [], url: URL },
      { steps: [], url: `${URL}/2` },
    ],
    own: [URL, `${URL}/2`],
  },
  { what: 'an address for one finding of two', remediations: [{ steps: [], url: URL }, null], own: [URL, undefined] },
  { what: 'no address', remediations: [{ steps: STEPS, url: null }], own: [undefined] },
  { what: 'no remediation', remediations: [undefined], own: [undefined] },
])(
  'the help of a rule with $what links to the general page, and each finding to its own page',
  async ({ remediations, own }) => {
    const { rules, results } = await blockedBy(...remediations);
    expect(rules[0]?.helpUri).toMatch(GENERAL);
    expect(results.map(({ properties }) => (properties?.remediation as { url?: string } | undefined)?.url)).toEqual(
      own,
    );
  },
);

scenario.each([
  { what: 'plain http', url: 'http://docs.example.com/' },
  { what: 'code', url: 'javascript:alert(1)' },
  { what: 'code that looks like an address', url: 'JAVASCRIPT://docs.example.com/%0aalert(1)' },
  { what: 'data', url: 'data:text/html,<script>alert(1)</script>' },
  { what: 'a file', url: 'file:///etc/passwd' },
  { what: 'no scheme', url: '//docs.example.com/' },
  { what: 'no slashes', url: 'https:docs.example.com' },
  { what: 'no host', url: 'https://' },
  { what: 'credentials', url: 'https://user:password@docs.example.com/' },
  { what: 'only a user', url: 'https://user@docs.example.com/' },
  { what: 'only a password', url: 'https://:password@docs.example.com/' },
  { what: '1000 characters that need an escape', url: `https://docs.example.com/${'"'.repeat(975)}` },
  { what: 'a link after it', url: 'https://docs.example.com/ [click](https://evil.example)' },
  { what: 'a heading after it', url: 'https://docs.example.com/\n\n# Heading' },
  { what: 'an invisible character', url: 'https://docs.example.com/\u202ecod' },
  { what: '3000 characters', url: `https://docs.example.com/${'a'.repeat(3000)}` },
  { what: 'a number', url: 7 },
  { what: 'an object', url: { href: URL } },
])('xml-sarif', 'omit only an address that is not https: $what', async ({ url }) => {
  const { rules, results } = await blockedBy({ steps: [], url });
  expect(rules[0]?.helpUri).toMatch(GENERAL);
  expect(results[0]?.properties?.remediation).toBeUndefined();
  expect(results[0]?.message.text).toBe('Runs code.');
});

scenario('xml-sarif', 'escape an address so that it cannot end a link or a text', async () => {
  const { rules, results } = await blockedBy({ steps: [], url: 'https://docs.example.com/a>b<c(d)[e]`f?"g\'' });
  expect(rules[0]?.help.markdown).toMatch(/<https:\/\/docs\.example\.com\/[^\s<>]+>/);
  expect(results[0]?.message.text).not.toMatch(/[<>]/);
});

scenario('xml-sarif', 'escape markdown, links and headings in text of the service', async () => {
  const hostile = '# Heading\n\n[click](https://evil.example) ![x](https://evil.example/p.png) <img src=x> `code`';
  const verdict = await modelVerdict({ uuid: 'u', model_uri: 'm', eval_outcome: 'BLOCKED' }, [
    {
      ...{ rule_name: hostile, rule_description: hostile, rule_instance_state: 'BLOCKING', description: hostile },
      remediation: { steps: [hostile, 7, null, '\u202ereversed'], url: URL },
    },
  ]);
  const { rules, results } = written(verdict);
  const { markdown, text } = rules[0]?.help ?? { markdown: '', text: '' };
  expect(markdown).not.toMatch(/(?<!\\)\]\(|(?<!\\)!\[|<img|^#|(?<!\\)`/m);
  expect(markdown.match(/<https:[^>]*>/g)).toEqual([`<${URL}>`]);
  expect(markdown + text).not.toContain('\u202e');
  const { shortDescription, fullDescription } = rules[0] ?? {};
  const texts = [text, shortDescription?.text, fullDescription?.text, results[0]?.message.text];
  for (const each of texts) expect(each).toMatch(/click\] \(https/);
  expect(texts.join()).not.toContain('](');
});

const TEN = Array.from('0123456789', (digit) => `Step ${digit}.`);
const LONGEST = `${URL}/`.padEnd(1000, 'a');
test.each<[sent: object, read: object | undefined]>([
  [
    { steps: [' a\n  b ', 'a b', ' ', ''], url: URL },
    { steps: ['a b'], url: URL },
  ],
  [{ steps: ['x'.repeat(1025)] }, { steps: ['x'.repeat(1024)] }],
  [{ steps: [...TEN, 'Step 10.'] }, { steps: TEN }],
  [{ url: LONGEST }, { steps: [], url: LONGEST }],
  [{ steps: [''] }, undefined],
])('a remediation is short, and has each step once: %#', (sent, read) => {
  expect(remediationOf(sent)).toEqual(read);
});

test('steps are distinct and few', async () => {
  const many = Array.from({ length: 40 }, (_, at) => `Step ${at}.`);
  const { rules } = await blockedBy({ steps: ['Same.'], url: null }, { steps: ['Same.', ...many], url: null });
  expect(rules[0]?.help.text.match(/Same\./g)).toHaveLength(1);
  expect(rules[0]?.help.text.match(/Step \d+\./g)?.length).toBeLessThanOrEqual(10);
});

test('a long message keeps its address', async () => {
  const verdict = await modelVerdict({ uuid: 'u', model_uri: 'm', eval_outcome: 'BLOCKED' }, [
    {
      rule_name: 'r',
      rule_instance_state: 'BLOCKING',
      description: 'x'.repeat(5000),
      remediation: { steps: [], url: URL },
    },
  ]);
  const text = written(verdict).results[0]?.message.text ?? '';
  expect(text.length).toBeLessThanOrEqual(1000);
  expect(text.endsWith(`What to do: ${URL}`)).toBe(true);
});

test.each([
  {
    gate: 'redteam',
    verdict: () =>
      redTeamVerdict(
        { uuid: 'j', name: 'nightly', status: 'COMPLETED', asr: 40 },
        [{ severity: 'HIGH', prompt: 'p' }],
        {
          failOn: 'high',
        },
      ),
    help: /aisec report JOB_ID --html/,
  },
  {
    gate: 'gate',
    verdict: () =>
      redTeamVerdict({ uuid: 'j', name: 'nightly', status: 'COMPLETED', asr: 40 }, [{ severity: 'LOW', prompt: 'p' }], {
        maxAsr: 1,
      }),
    help: /limit/,
  },
  {
    gate: 'model',
    verdict: () =>
      modelVerdict({ uuid: 'u', model_uri: 'm', eval_outcome: 'BLOCKED' }, [
        { rule_name: 'r', rule_instance_state: 'BLOCKING' },
      ]),
    help: /scan it again/,
  },
])('the help of a rule of the family $gate does not need text of the service', async ({ gate, verdict, help }) => {
  const { rules } = written(await verdict());
  const rule = rules.find(({ id }) => id.startsWith(`aisec/${gate}/`));
  expect(rule?.help.text).toMatch(help);
  expect(rule?.help.markdown).toContain('**What it means.**');
});

test('aisec gate model writes the help of rules', async () => {
  const file = join(temporaryFolder('sarif'), 'a.sarif');
  await run(['--simulate', 'gate', 'model', MODEL_SCANS.blocked, '--sarif', file]);
  const { rules, results } = logOf(readFileSync(file, 'utf8'));
  expect(results.length).toBeGreaterThan(0);
  expect(rules.map(({ helpUri }) => helpUri)).toEqual(
    rules.map(() => expect.stringMatching(/^https:\/\/docs\.example\.com\/model-rules\//)),
  );
});

test('aisec gate bulk writes the help of rules', async () => {
  const folder = temporaryFolder('sarif');
  const [rows, file] = [join(folder, 'run.jsonl'), join(folder, 'a.sarif')];
  writeFileSync(
    rows,
    finished([{ row: 1, action: 'block', prompt: 'secret words', prompt_detected: { injection: true } }]),
  );
  await run(['gate', 'bulk', rows, '--sarif', file]);
  const { rules } = logOf(readFileSync(file, 'utf8'));
  const [help = ''] = rules.filter(({ id }) => id === 'aisec/bulk/injection').map(({ help: { markdown } }) => markdown);
  expect(help).toContain('**What to do.** Read the prompt in the row that the finding names.');
  expect(readFileSync(file, 'utf8')).not.toContain('secret words');
});
