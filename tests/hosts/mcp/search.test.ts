/** What agents and analysts ask for, in their own words, and the commands that they mean. */

import { search } from '../../../lib/hosts/mcp/search.ts';
import { USES } from '../../../lib/hosts/mcp/uses.ts';
import type { Catalogue } from '../../../lib/manifest/catalogue.ts';
import { suggest } from '../../../lib/runtime/arguments/suggest.ts';
import { expectNone } from '../../support/expect-none.ts';
import { closeConnectionsAfterEach, connect, parts } from './support.ts';

closeConnectionsAfterEach();

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await parts.catalogue();
});

const PHRASES: readonly (readonly [string, string])[] = [
  ['attack my chatbot', 'redteam-scan-create'],
  ['attack our support chatbot with jailbreaks tonight', 'redteam-scan-create'],
  ['start a red-team scan of a target', 'redteam-scan-create'],
  ['pentest the assistant', 'redteam-scan-create'],
  ['try to jailbreak our bot', 'redteam-scan-create'],
  ['launch an adversarial test against our LLM endpoint', 'redteam-scan-create'],
  ['is my bot vulnerable to prompt injection', 'redteam-scan-create'],
  ['stop the running attack', 'redteam-scan-abort'],
  ['cancel a red team scan', 'redteam-scan-abort'],
  ['is the red team scan finished', 'redteam-scan-get'],
  ['which attacks succeeded', 'redteam-report-attacks-list'],
  ['show red team results', 'redteam-report-get'],
  ['attack success rate of the last scan', 'redteam-report-get'],
  ['how do I fix the vulnerabilities that were found', 'redteam-report-remediation-get'],
  ['which guardrail would have stopped the attacks', 'redteam-report-runtime-policy-get'],
  ['export the red team report as csv', 'redteam-report-download'],
  ['register a new chatbot to attack', 'redteam-targets-create'],
  ['which bots can we attack', 'redteam-targets-list'],
  ['why did the red team scan fail', 'redteam-scan-error-logs'],
  ['test the credentials of a target', 'redteam-targets-validate-auth'],
  ['how many scans do we have left', 'redteam-metering-quota'],
  ['remaining credits', 'redteam-metering-quota'],
  ['is our risk score getting better over time', 'redteam-dashboard-score-trend'],
  ['what types of attacks are there', 'redteam-categories-list'],
  ['import my own attack prompts from a csv', 'redteam-prompt-sets-upload'],
  ['accept the license', 'redteam-eula-accept'],
  ['rate a report with thumbs up', 'redteam-sentiment-update'],
  ['reach an internal target behind a firewall', 'redteam-network-channels-create'],
  ['is this prompt safe', 'runtime-scan'],
  ['check a message for prompt injection', 'runtime-scan'],
  ['detect PII in a response', 'runtime-scan'],
  ['moderate this text', 'runtime-scan'],
  ['scan a csv file with many prompts', 'runtime-bulk-scan'],
  ['check a batch of prompts', 'runtime-bulk-scan'],
  ['list guardrails', 'runtime-profiles-list'],
  ['create a new guardrail policy', 'runtime-profiles-create'],
  ['turn on the toxicity detector of a profile', 'runtime-profiles-update'],
  ['rotate a leaked api key', 'runtime-api-keys-regenerate'],
  ['revoke an API token', 'runtime-api-keys-delete'],
  ['ban a subject', 'runtime-topics-create'],
  ['block a topic in a guardrail', 'runtime-topics-apply'],
  ['regex for social security numbers', 'runtime-dlp-patterns-create'],
  ['upload a keyword list', 'runtime-dlp-dictionaries-create'],
  ['data loss prevention profiles', 'runtime-dlp-profiles-list'],
  ['how many tokens did an app use', 'runtime-customer-apps-consumption'],
  ['what was blocked for an application', 'runtime-customer-apps-violations'],
  ['is this huggingface model safe', 'model-security-scans-create'],
  ['check a pickle file for malware', 'model-security-scans-create'],
  ['supply chain check of model weights', 'model-security-scans-create'],
  ['what is wrong with the model', 'model-security-scans-violations'],
  ['inventory of models', 'model-security-models-list'],
  ['turn off a rule for models', 'model-security-rule-instances-update'],
  ['tag a model scan', 'model-security-labels-add'],
  ['delete target', 'redteam-targets-delete'],
  ['remove a security profile', 'runtime-profiles-delete'],
  ['edit a custom topic', 'runtime-topics-update'],
];

test.each(PHRASES)('"%s" finds %s among the first three', (phrase, name) => {
  const found = search(phrase, catalogue).map((info) => info.name);
  expect(found.slice(0, 3)).toContain(`aisec-${name}`);
});

test('finds every command by the words of its name and of its summary', () => {
  const found: string[] = [];
  for (const { name, summary } of catalogue) {
    for (const words of [name.replace(/-/g, ' '), summary])
      if (!search(words, catalogue).some((info) => info.name === name)) found.push(`${name}: by "${words}"`);
  }
  expectNone(found, 'commands that their own words do not find');
});

test('every known use case belongs to an existing command', () => {
  const names = new Set(catalogue.map(({ name }) => name));
  expectNone(
    Object.keys(USES).filter((name) => !names.has(name)),
    'uses of unknown commands',
  );
});

test.each(['', '   ', 'the of my', '???', '\u0000', 'qqqzzz'])('%j finds nothing', (words) => {
  expect(search(words, catalogue)).toEqual([]);
});

test('a text of a million words finds at most ten commands', () => {
  expect(search('attack chatbot '.repeat(500_000), catalogue).length).toBeLessThanOrEqual(10);
});

describe('an unknown name', () => {
  test.each([
    { tool: 'aisec_read', command: 'aisec-runtime-topic-list', near: 'aisec-runtime-topics-list' },
    { tool: 'aisec_describe', command: 'aisec-redteam-start-scan', near: 'aisec-redteam-scan-create' },
    { tool: 'aisec_change', command: 'attack-chatbot', near: 'aisec-redteam-scan-create' },
    { tool: 'aisec_read', command: 'redteam-targets-list', near: 'aisec-redteam-targets-list' },
  ])('$command is answered with the similar name $near', async ({ tool, command, near }) => {
    const { call } = await connect();
    const { isError, text } = await call(tool, { command });
    expect(isError).toBe(true);
    expect(text).toMatch(/Did you mean .*\? Or find another with aisec_search\./);
    expect(text).toContain(`"${near}"`);
  });

  test('never gets an excluded command as a suggestion', async () => {
    const { call } = await connect({ toolsets: 'dlp', readOnly: true });
    for (const command of ['aisec-redteam-targets-lists', 'aisec-runtime-dlp-patterns-deletes', 'attack-chatbot']) {
      const { text } = await call('aisec_read', { command });
      expect(text).not.toMatch(/redteam-[a-z]+-list"|-delete"/);
    }
  });

  test('of a tool is answered with the name of a similar tool', async () => {
    const { call } = await connect();
    const { text } = await call('aisec_serach', { words: 'x' });
    expect(suggest('aisec_serach', ['aisec_search'])).toBe('aisec_search');
    expect(text).toContain('Did you mean "aisec_search"?');
  });
});
