/** The names of a policy, and the documented values of each. */
import { isKnown, memberPlaces, type Word, wordsIn } from '../../../lib/features/guardrails/known-names.ts';

const CONFIGURATION = ['ai-security-profiles', 0, 'model-configuration'];
const AT = 'ai-security-profiles.model-configuration';
const inConfiguration = (more: object) => ({ 'ai-security-profiles': [{ 'model-configuration': more }] });
const inModel = (...detectors: readonly object[]) => inConfiguration({ 'model-protection': detectors });
const short = ({ place, value, names }: Word) => [place, value, names.what];

describe('a name in a policy', () => {
  test('has its path in the document and its path in the policy', () => {
    const [name, action] = wordsIn(inModel({ name: 'prompt-injection', action: 'block' }));
    expect(name).toMatchObject({
      path: [...CONFIGURATION, 'model-protection', 0, 'name'],
      place: `${AT}.model-protection.name`,
    });
    expect(action).toMatchObject({
      path: [...CONFIGURATION, 'model-protection', 0, 'action'],
      place: `${AT}.model-protection.action(prompt-injection)`,
    });
  });

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
      policy: inModel({ 'topic-list': [{ action: 'block', topic: [{ topic_name: 'a', revision: 1 }] }] }),
      words: [[`${AT}.model-protection.topic-list.action`, 'block', 'action']],
    },
    {
      title: 'in a list of categories, whose actions belong to the detector',
      policy: inModel({ name: 'toxic-content', 'toxic-category-list': [{ category: 'hate', action: 'high:block' }] }),
      words: [
        [`${AT}.model-protection.name`, 'toxic-content', 'detector'],
        [`${AT}.model-protection.toxic-category-list.category`, 'hate', 'category'],
        [`${AT}.model-protection.toxic-category-list.action(toxic-content)`, 'high:block', 'action'],
      ],
    },
    {
      title: 'in URL categories, and not in members of another list',
      policy: inConfiguration({
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
      policy: inModel({ name: null, action: undefined, category: 'hate', constructor: 'x' }),
      words: [],
    },
    { title: 'in no policy', policy: 'block', words: [] },
    { title: 'in no other member of a topic list', policy: inModel({ 'topic-list': [{ note: 'odd' }] }), words: [] },
    {
      title: 'in no other member of a detector with an action of its own',
      policy: inModel({ name: 'toxic-content', options: 'odd' }),
      words: [[`${AT}.model-protection.name`, 'toxic-content', 'detector']],
    },
  ])('is found $title', ({ policy, words }) => {
    expect(wordsIn(policy).map(short)).toEqual(words);
  });

  const wordOf = (policy: object) => wordsIn(policy).at(-1) as Word;
  const action = (value: unknown, name = 'prompt-injection') => inModel({ name, action: value });
  const detector = (list: string, name: string) => inConfiguration({ [list]: [{ name }] });

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
      inModel({ 'toxic-category-list': [{ category }] }),
      true,
    ]),
    ['no category', inModel({ 'toxic-category-list': [{ category: 'love' }] }), false],
    ['group that alerts', inModel({ 'topic-list': [{ action: 'alert' }] }), false],
    ['group that is off', inModel({ 'topic-list': [{ action: '' }] }), false],
    ['group that allows', inModel({ 'topic-list': [{ action: 'allow' }] }), true],
    ['group that blocks', inModel({ 'topic-list': [{ action: 'block' }] }), true],
    ['timeout', inConfiguration({ latency: { 'inline-timeout-action': 'allow' } }), true],
    ['URL action', inConfiguration({ 'app-protection': { 'url-detected-action': 'stop' } }), false],
    ['choice yes', { 'dlp-data-profiles': [{ 'file-based': 'yes' }] }, true],
    ['choice no', { 'dlp-data-profiles': [{ 'non-file-based': 'no' }] }, true],
    ['choice true', { 'dlp-data-profiles': [{ 'file-based': 'true' }] }, false],
    ['type of model', { 'ai-security-profiles': [{ 'model-type': 'default' }] }, true],
    ['another type of model', { 'ai-security-profiles': [{ 'model-type': '' }] }, false],
  ])('%s is documented: %j: %s', (_, policy, known) => {
    expect(isKnown(wordOf(policy))).toBe(known);
  });
});

test('members are listed by path, without list positions', () => {
  expect(memberPlaces({ a: [{ b: 1 }, { c: [{ d: 2 }] }], e: 'x' })).toEqual(['a', 'a.b', 'a.c', 'a.c.d', 'e']);
  expect(memberPlaces('x')).toEqual([]);
});
