/** Names of detectors, actions and kinds: a misspelt name protects nothing. */

import type { JsonObject } from '../../../lib/core/json.ts';
import { type PlanOptions, planOf } from '../../../lib/features/guardrails/plan.ts';
import type { Tenant, TenantRecord } from '../../../lib/features/guardrails/tenant.ts';
import { failing } from '../../support/exchange.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { guardrails, KEPT } from './support.ts';

const KNOWN = { ...KEPT, allowUnknown: true };

/** A file with one profile, whose configuration begins at column 13 of line 8. */
const fileOf = (inside: string, type = 'default') => `version: 1
profiles:
  - name: p
    policy:
      ai-security-profiles:
        - model-type: ${type}
          model-configuration:
            ${inside}
`;
const inModel = (entry: string) => fileOf(`model-protection: [${entry}]`);

/** A tenant whose profile has this policy. */
function tenantWith(policy: JsonObject): Tenant {
  const record: TenantRecord = {
    kind: 'profile',
    id: 'id',
    name: 'other',
    revision: 1,
    members: { active: true, policy },
    older: [],
  };
  return { topics: [], profiles: [record], simulated: false };
}

const EMPTY: Tenant = { topics: [], profiles: [], simulated: false };
const planned = async (text: string, tenant = EMPTY, options: PlanOptions = KEPT) =>
  planOf(await guardrails(text), tenant, options);

const CONFIGURATION = 'profiles.0.policy.ai-security-profiles.0.model-configuration';

scenario.each<{ text: string; place: string; message: string; hint: string }>([
  {
    text: inModel('{name: prompt-injecton, action: block}'),
    place: 'g.yml:8:33: ',
    message: `${CONFIGURATION}.model-protection.0.name: "prompt-injecton" is not a known detector.`,
    hint: 'Did you mean "prompt-injection"?',
  },
  {
    text: inModel('{name: Prompt-Injection, action: block}'),
    place: 'g.yml:8:33: ',
    message: '"Prompt-Injection" is not a known detector.',
    hint: 'Did you mean "prompt-injection"?',
  },
  {
    text: inModel('{name: prompt-injection, action: Block}'),
    place: 'g.yml:8:57: ',
    message: `${CONFIGURATION}.model-protection.0.action: "Block" is not a known action.`,
    hint: 'Did you mean "block"? It may be: block, alert, allow.',
  },
  {
    text: inModel('{name: prompt-injection, action: "block "}'),
    place: 'g.yml:8:57: ',
    message: '"block " is not a known action.',
    hint: 'Did you mean "block"?',
  },
  {
    text: inModel('{name: prompt-injection, action: "high:block, moderate:block"}'),
    place: 'g.yml:8:57: ',
    message: '"high:block, moderate:block" is not a known action.',
    hint: 'It may be: block, alert, allow.',
  },
  {
    text: inModel('{name: toxic-content, action: "high:block, moderat:block"}'),
    place: 'g.yml:8:54: ',
    message: '"high:block, moderat:block" is not a known action.',
    hint: 'It may be: block, alert, allow, or as "high:block, moderate:allow".',
  },
  {
    text: inModel('{name: toxic-content, action: "", toxic-category-list: [{category: hat, action: high:block}]}'),
    place: 'g.yml:8:89: ',
    message: '"hat" is not a known category.',
    hint: 'Did you mean "hate"?',
  },
  {
    text: fileOf('latency: {inline-timeout-action: deny}', 'defualt'),
    place: 'g.yml:6:11: ',
    message: 'profiles.0.policy.ai-security-profiles.0.model-type: "defualt" is not a known type of model.',
    hint: 'Did you mean "default"?',
  },
  {
    text: fileOf('latency: {inline-timeout-action: deny}', 'defualt'),
    place: 'g.yml:8:23: ',
    message: `${CONFIGURATION}.latency.inline-timeout-action: "deny" is not a known action.`,
    hint: 'It may be: block, alert, allow.',
  },
  {
    text: fileOf('agent-protection: [{name: agent-securty, action: block}]'),
    place: 'g.yml:8:33: ',
    message: '"agent-securty" is not a known detector.',
    hint: 'Did you mean "agent-security"?',
  },
  {
    text: fileOf('app-protection: {url-detected-action: Alert}'),
    place: 'g.yml:8:30: ',
    message: '"Alert" is not a known action.',
    hint: 'Did you mean "alert"?',
  },
  {
    text: fileOf('app-protection: {malicious-code-protection: {name: malicous-code, action: block}}'),
    place: 'g.yml:8:58: ',
    message: '"malicous-code" is not a known detector.',
    hint: 'Did you mean "malicious-code"?',
  },
  {
    text: fileOf('data-protection: {database-security: [{name: database-security-raed, action: true}]}'),
    place: 'g.yml:8:52: ',
    message: '"database-security-raed" is not a known detector.',
    hint: 'Did you mean "database-security-read"?',
  },
  {
    text: fileOf('data-protection: {database-security: [{name: database-security-raed, action: true}]}'),
    place: 'g.yml:8:82: ',
    message: '"true" is not a known action.',
    hint: 'It may be: block, alert, allow.',
  },
  {
    text: fileOf('modle-protection: []'),
    place: 'g.yml:8:13: ',
    message: `${CONFIGURATION}.modle-protection is not a documented member.`,
    hint: 'Did you mean "model-protection"?',
  },
  {
    text: fileOf('data-protection: {data-leak-detecton: {action: block}}'),
    place: 'g.yml:8:31: ',
    message: `${CONFIGURATION}.data-protection.data-leak-detecton is not a documented member.`,
    hint: 'Did you mean "data-leak-detection"?',
  },
])('apply-kept', 'a plan is refused: $place$message', async ({ text, place, message, hint }) => {
  const error = await failing(planned(text));
  expect(error).toMatchObject({ code: 'arguments', exitCode: 2 });
  expect(error.message).toContain(place);
  expect(error.message).toContain(message);
  expect(error.hint).toContain(hint);
  expect(error.hint?.match(/--allow-unknown/g)).toHaveLength(1);
});

scenario('apply-kept', 'an action of a group of topics is allow or block', async () => {
  const text = inModel('{name: topic-guardrails, action: allow, topic-list: [{action: alert, topic: []}]}');
  const error = await failing(planned(text));
  expect(error.message).toContain('topic-list.0.action: "alert" is not a known action.');
});

scenario('apply-kept', 'with --allow-unknown the same names are sent, and each is a note with its place', async () => {
  const text = inModel('{name: prompt-injecton, action: Block}');
  const { changes, notes } = await planned(text, EMPTY, KNOWN);
  expect(JSON.stringify(changes)).toContain('{"name":"prompt-injecton","action":"Block"}');
  expect(notes).toEqual([
    `g.yml:8:33: ${CONFIGURATION}.model-protection.0.name: "prompt-injecton" is not a known detector.`,
    `g.yml:8:56: ${CONFIGURATION}.model-protection.0.action: "Block" is not a known action.`,
  ]);
});

describe('a name that a profile of the tenant uses', () => {
  const own = (entry: JsonObject, more: JsonObject = {}) =>
    tenantWith({
      'ai-security-profiles': [
        { 'model-type': 'default', 'model-configuration': { 'model-protection': [entry], ...more } },
      ],
    });
  const newer = inModel('{name: newer-detector, action: observe}');

  scenario('apply-kept', 'is sent with a note, because it may be misspelt there', async () => {
    const { notes } = await planned(newer, own({ name: 'newer-detector', action: 'observe' }));
    expect(notes).toEqual([
      `g.yml:8:33: ${CONFIGURATION}.model-protection.0.name: "newer-detector" is not documented; only the tenant's own profiles have it.`,
      `g.yml:8:55: ${CONFIGURATION}.model-protection.0.action: "observe" is not documented; only the tenant's own profiles have it.`,
    ]);
  });

  scenario('apply-kept', 'may be the name of a member', async () => {
    const text = fileOf('newer-protection: {a: 1}');
    const { notes } = await planned(text, own({ name: 'prompt-injection' }, { 'newer-protection': { b: 2 } }));
    expect(notes).toEqual([
      `g.yml:8:13: ${CONFIGURATION}.newer-protection is not documented; only the tenant's own profiles have it.`,
    ]);
  });

  scenario.each([
    { title: 'an action of another detector', entry: { name: 'prompt-injection', action: 'observe' } },
    { title: 'a name of another list', entry: { name: 'topic-guardrails', options: [{ name: 'newer-detector' }] } },
  ])('apply-kept', 'does not admit $title', async ({ entry }) => {
    const error = await failing(planned(newer, own(entry)));
    expect(error.message).toContain('"newer-detector" is not a known detector.');
    expect(error.message).toContain('"observe" is not a known action.');
  });

  scenario('apply-kept', 'is suggested for a misspelt name', async () => {
    const text = inModel('{name: newer-detecter, action: block}');
    const error = await failing(planned(text, own({ name: 'newer-detector' })));
    expect(error.hint).toContain('Did you mean "newer-detector"?');
  });
});

scenario(
  'apply-kept',
  'a URL category causes a note unless the tenant uses it, because no list of categories exists',
  async () => {
    const text = fileOf('app-protection: {block-url-category: {member: [malware, gamblin]}}');
    const tenant = tenantWith({
      'ai-security-profiles': [
        { 'model-configuration': { 'app-protection': { 'block-url-category': { member: ['malware'] } } } },
      ],
    });
    expect((await planned(text, tenant)).notes).toEqual([
      expect.stringMatching(/^g\.yml:8:\d+: .*: "gamblin" is not a known URL category\. It cannot be checked\.$/),
    ]);
  },
);

test.each([
  '{name: prompt-injection, action: block}',
  '{name: contextual-grounding, action: alert}',
  '{name: toxic-content, action: ""}',
  '{name: toxic-content, action: high:block}',
  '{name: toxic-content, action: "high:block,moderate:allow"}',
  '{name: toxic-content, action: "", toxic-category-list: [{category: hate, action: "high:block, moderate:alert"}]}',
  '{name: topic-guardrails, action: block, options: [], topic-list: []}',
])('documented names cause no note: %s', async (entry) => {
  expect((await planned(inModel(entry))).notes).toEqual([]);
});
