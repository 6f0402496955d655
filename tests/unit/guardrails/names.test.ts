/** Names of detectors, actions and kinds: a misspelt name protects nothing. */

import { ValidationError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import { isKnown, type Word, wordsIn } from '../../../lib/features/guardrails/known-names.ts';
import { type PlanOptions, planOf } from '../../../lib/features/guardrails/plan.ts';
import type { Tenant, TenantRecord } from '../../../lib/features/guardrails/tenant.ts';
import { failing } from '../../support/exchange.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { changes, guardrails, KEPT, planned, policy, profile } from './support.ts';

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
const plannedOn = async (text: string, tenant = EMPTY, options: PlanOptions = KEPT) =>
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
    text: inModel('{name: prompt-injection, action: Block}'),
    place: 'g.yml:8:57: ',
    message: `${CONFIGURATION}.model-protection.0.action: "Block" is not a known action.`,
    hint: 'Did you mean "block"? It may be: block, alert, allow.',
  },
  {
    text: inModel('{name: toxic-content, action: "high:block, moderat:block"}'),
    place: 'g.yml:8:54: ',
    message: '"high:block, moderat:block" is not a known action.',
    hint: 'It may be: block, alert, allow, or as "high:block, moderate:allow".',
  },
  {
    text: fileOf('latency: {inline-timeout-action: deny}', 'defualt'),
    place: 'g.yml:6:11: ',
    message: 'profiles.0.policy.ai-security-profiles.0.model-type: "defualt" is not a known type of model.',
    hint: 'Did you mean "default"?',
  },
  {
    text: fileOf('data-protection: {database-security: [{name: database-security-raed, action: true}]}'),
    place: 'g.yml:8:52: ',
    message: '"database-security-raed" is not a known detector.',
    hint: 'Did you mean "database-security-read"?',
  },
  {
    text: fileOf('modle-protection: []'),
    place: 'g.yml:8:13: ',
    message: `${CONFIGURATION}.modle-protection is not a documented member.`,
    hint: 'Did you mean "model-protection"?',
  },
])('apply-kept', 'a plan is refused: $place$message', async ({ text, place, message, hint }) => {
  const error = await failing(plannedOn(text));
  expect(error).toMatchObject({ code: 'arguments', exitCode: 2 });
  expect(error.message).toContain(place);
  expect(error.message).toContain(message);
  expect(error.hint).toContain(hint);
  expect(error.hint?.match(/--allow-unknown/g)).toHaveLength(1);
});

scenario('apply-kept', 'with --allow-unknown the same names are sent, and each is a note with its place', async () => {
  const text = inModel('{name: prompt-injecton, action: Block}');
  const { changes, notes } = await plannedOn(text, EMPTY, KNOWN);
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
    const { notes } = await plannedOn(newer, own({ name: 'newer-detector', action: 'observe' }));
    expect(notes).toEqual([
      `g.yml:8:33: ${CONFIGURATION}.model-protection.0.name: "newer-detector" is not documented; only the tenant's own profiles have it.`,
      `g.yml:8:55: ${CONFIGURATION}.model-protection.0.action: "observe" is not documented; only the tenant's own profiles have it.`,
    ]);
  });

  scenario('apply-kept', 'may be the name of a member', async () => {
    const text = fileOf('newer-protection: {a: 1}');
    const { notes } = await plannedOn(text, own({ name: 'prompt-injection' }, { 'newer-protection': { b: 2 } }));
    expect(notes).toEqual([
      `g.yml:8:13: ${CONFIGURATION}.newer-protection is not documented; only the tenant's own profiles have it.`,
    ]);
  });

  scenario.each([
    { title: 'an action of another detector', entry: { name: 'prompt-injection', action: 'observe' } },
    { title: 'a name of another list', entry: { name: 'topic-guardrails', options: [{ name: 'newer-detector' }] } },
  ])('apply-kept', 'does not admit $title', async ({ entry }) => {
    const error = await failing(plannedOn(newer, own(entry)));
    expect(error.message).toContain('"newer-detector" is not a known detector.');
    expect(error.message).toContain('"observe" is not a known action.');
  });

  scenario('apply-kept', 'is suggested for a misspelt name', async () => {
    const text = inModel('{name: newer-detecter, action: block}');
    const error = await failing(plannedOn(text, own({ name: 'newer-detector' })));
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
    expect((await plannedOn(text, tenant)).notes).toEqual([
      expect.stringMatching(/^g\.yml:8:\d+: .*: "gamblin" is not a known URL category\. It cannot be checked\.$/),
    ]);
  },
);

const AT = 'ai-security-profiles.model-configuration';
const withConfiguration = (more: object) => ({ 'ai-security-profiles': [{ 'model-configuration': more }] });
const withModel = (...detectors: readonly object[]) => withConfiguration({ 'model-protection': detectors });
const short = ({ place, value, names }: Word) => [place, value, names.what];

describe('a name in a policy', () => {
  test.each<{ title: string; policy: unknown; words: readonly string[][] }>([
    {
      title: 'in a type of model',
      policy: { 'ai-security-profiles': [{ 'model-type': 'default', 'content-type': 'text' }] },
      words: [
        ['ai-security-profiles.model-type', 'default', 'type of model'],
        ['ai-security-profiles.content-type', 'text', 'type of content'],
      ],
    },
    {
      title: 'in a topic guardrail, but not the topics',
      policy: withModel({ 'topic-list': [{ action: 'block', topic: [{ topic_name: 'a', revision: 1 }] }] }),
      words: [[`${AT}.model-protection.topic-list.action`, 'block', 'action']],
    },
    {
      title: 'in a list of categories, whose actions belong to the detector',
      policy: withModel({ name: 'toxic-content', 'toxic-category-list': [{ category: 'hate', action: 'high:block' }] }),
      words: [
        [`${AT}.model-protection.name`, 'toxic-content', 'detector'],
        [`${AT}.model-protection.toxic-category-list.category`, 'hate', 'category'],
        [`${AT}.model-protection.toxic-category-list.action(toxic-content)`, 'high:block', 'action'],
      ],
    },
    {
      title: 'in URL categories, and not in members of another list',
      policy: withConfiguration({
        'app-protection': { 'block-url-category': { member: ['malware'] } },
        'data-protection': { 'data-leak-detection': { member: ['malware'] } },
      }),
      words: [[`${AT}.app-protection.block-url-category.member`, 'malware', 'URL category']],
    },
    {
      title: 'in a DLP profile',
      policy: {
        'dlp-data-profiles': [{ name: 'a', 'non-file-based': 'yes', 'file-based': false, rule1: { action: 'x' } }],
      },
      words: [
        ['dlp-data-profiles.non-file-based', 'yes', 'choice'],
        ['dlp-data-profiles.file-based', 'false', 'choice'],
        ['dlp-data-profiles.rule1.action(a)', 'x', 'action'],
      ],
    },
    {
      title: 'in nothing',
      policy: withModel({ name: null, action: undefined, category: 'hate', constructor: 'x' }),
      words: [],
    },
  ])('is found $title', ({ policy, words }) => {
    expect(wordsIn(policy).map(short)).toEqual(words);
  });

  const wordOf = (policy: object) => wordsIn(policy).at(-1) as Word;
  const action = (value: unknown, name = 'prompt-injection') => withModel({ name, action: value });
  const detector = (list: string, name: string) => withConfiguration({ [list]: [{ name }] });

  test.each<[title: string, policy: object, known: boolean]>([
    ...['block', 'alert', 'allow', ''].map((value): [string, object, boolean] => [
      `action "${value}"`,
      action(value),
      true,
    ]),
    ...['Block', 'block ', 'deny', 'high:block'].map((value): [string, object, boolean] => [
      `action "${value}"`,
      action(value),
      false,
    ]),
    ...['block', '', 'high:block', 'moderate:alert', 'high:allow,moderate:block', 'high:block,  moderate:alert'].map(
      (value): [string, object, boolean] => [`toxic action "${value}"`, action(value, 'toxic-content'), true],
    ),
    ...['low:block', 'high:block;moderate:allow', 'high:block,', ' high:block', 'high:block x', 'high: block'].map(
      (value): [string, object, boolean] => [`toxic action "${value}"`, action(value, 'toxic-content'), false],
    ),
    ...['prompt-injection', 'toxic-content', 'topic-guardrails', 'contextual-grounding'].map(
      (name): [string, object, boolean] => [`detector ${name}`, detector('model-protection', name), true],
    ),
    ...['create', 'read', 'update', 'delete'].map((name): [string, object, boolean] => [
      `database ${name}`,
      detector('database-security', `database-security-${name}`),
      true,
    ]),
    ['detector of agents', detector('agent-protection', 'agent-security'), true],
    ['detector of code', detector('malicious-code-protection', 'malicious-code'), true],
    ['detector in the list of another', detector('agent-protection', 'prompt-injection'), false],
    ...[
      'hate',
      'sexual-content',
      'cybercrime',
      'self-harm',
      'violent-crime',
      'indiscriminate-weapon',
      'controlled-substance',
      'other-nonviolent-crime',
    ].map((category): [string, object, boolean] => [
      `category ${category}`,
      withModel({ 'toxic-category-list': [{ category }] }),
      true,
    ]),
    ['no category', withModel({ 'toxic-category-list': [{ category: 'love' }] }), false],
    ['group that alerts', withModel({ 'topic-list': [{ action: 'alert' }] }), false],
    ['group that is off', withModel({ 'topic-list': [{ action: '' }] }), false],
    ['group that allows', withModel({ 'topic-list': [{ action: 'allow' }] }), true],
    ['group that blocks', withModel({ 'topic-list': [{ action: 'block' }] }), true],
    ['timeout', withConfiguration({ latency: { 'inline-timeout-action': 'allow' } }), true],
    ['URL action', withConfiguration({ 'app-protection': { 'url-detected-action': 'stop' } }), false],
    ['choice yes', { 'dlp-data-profiles': [{ 'file-based': 'yes' }] }, true],
    ['choice no', { 'dlp-data-profiles': [{ 'non-file-based': 'no' }] }, true],
    ['choice true', { 'dlp-data-profiles': [{ 'file-based': 'true' }] }, false],
    ['type of model', { 'ai-security-profiles': [{ 'model-type': 'default' }] }, true],
    ['another model type', { 'ai-security-profiles': [{ 'model-type': '' }] }, false],
  ])('%s is documented: %j: %s', (_, policy, known) => {
    expect(isKnown(wordOf(policy))).toBe(known);
  });
});

const file = (stated: JsonObject) => ({ profiles: [{ name: 'p', policy: stated }] });
const tenant = (...own: readonly object[]) => ({ profiles: [profile('p', { policy: policy(...own) })] });

describe('a detector without an action', () => {
  test.each<{ title: string; stated: JsonObject; own?: readonly object[]; place: string; lacks: string }>([
    {
      title: 'that the profile lacks',
      stated: policy({ name: 'prompt-injection' }),
      own: [{ name: 'toxic-content', action: 'block' }],
      place: 'model-protection.0',
      lacks: 'prompt-injection',
    },
    {
      title: 'for a category',
      stated: policy({ name: 'toxic-content', 'toxic-category-list': [{ category: 'hate' }] }),
      own: [{ name: 'toxic-content', action: 'high:block', 'toxic-category-list': [{ category: 'cybercrime' }] }],
      place: 'model-protection.0.toxic-category-list.0',
      lacks: 'hate',
    },
  ])('$title is refused with its place', async ({ stated, own = [], place, lacks }) => {
    const error = await failing(planned(file(stated), tenant(...own)));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.message).toContain(
      `${CONFIGURATION}.${place}: the profile p of the tenant has no ${lacks}, and the entry lacks "action".`,
    );
    expect(error.message).toMatch(/^g\.yml:1:\d+: /);
    expect(error.hint).toBe('State an action; an empty text turns it off.');
    const ofNewProfile = await failing(planned(file(stated), {}));
    expect(ofNewProfile.message).toContain('the profile p of the tenant has no ');
  });

  test.each<{ title: string; stated: JsonObject; own: readonly object[]; expected: string }>([
    {
      title: 'stays as the profile has it',
      stated: policy({ name: 'prompt-injection' }),
      own: [{ name: 'prompt-injection', action: 'block' }],
      expected: 'unchanged profile p',
    },
    {
      title: 'but with an empty one is off, as in a profile that lacks it',
      stated: policy({ name: 'prompt-injection', action: '' }),
      own: [],
      expected: 'unchanged profile p',
    },
    {
      title: 'but with an empty one turns the detector of the profile off',
      stated: policy({ name: 'prompt-injection', action: '' }),
      own: [{ name: 'prompt-injection', action: 'block' }],
      expected: 'update profile p',
    },
    {
      title: 'is not a type of model, which has none',
      stated: { 'ai-security-profiles': [{ 'model-type': 'default' }] },
      own: [],
      expected: 'unchanged profile p',
    },
  ])('$title', async ({ stated, own, expected }) => {
    expect(changes(await planned(file(stated), tenant(...own)))).toEqual([expected]);
  });
});
