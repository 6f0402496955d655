/** Random guardrails files that the simulated tenant accepts. */
import fc from 'fast-check';
import { anyCharacter } from '../../support/characters.ts';

const OLD_TOPICS = ['investment-advice', 'insurance-claims', 'competitor-pricing'];
const NEW_TOPICS = ['Stock tips', '${AiSec}', 'Ünï\u202ecode, "quoted"', '__proto__'];
const PROFILES = ['prod', 'monitor-only', 'claims', 'code-assistant', 'prod-eu', 'constructor', 'a\nb'];

const some = <T>(values: readonly T[]) => fc.subarray([...values]);
const text = fc.string({ minLength: 1, maxLength: 40, unit: anyCharacter }).filter((each) => each.trim() !== '');
const action = fc.constantFrom('block', 'alert', 'allow', '');
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const topicOf = (name: string) =>
  fc.record({
    name: fc.constant(name),
    description: text,
    examples: fc.array(text, { minLength: 2, maxLength: 5 }),
  });
const partOf = (name: string) =>
  fc.record({
    name: fc.constant(name),
    description: maybe(text),
    examples: maybe(fc.array(text, { minLength: 2, maxLength: 5 })),
  });

/** A guardrail whose groups share the topics. */
const guardrail = (names: readonly string[]) =>
  fc.tuple(some(names), fc.nat(names.length), action).map(([topics, border, chosen]) => ({
    name: 'topic-guardrails',
    action: chosen,
    'topic-list': [
      { action: 'block', topic: topics.slice(0, border).map((topic_name) => ({ topic_name })) },
      { action: 'allow', topic: topics.slice(border).map((topic_name) => ({ topic_name })) },
    ],
  }));
const detector = fc.constantFrom('prompt-injection', 'toxic-content', 'contextual-grounding', 'odd.name');
const detectors = (names: readonly string[]) =>
  fc
    .tuple(
      fc.uniqueArray(fc.record({ name: detector, action, extra: maybe(fc.jsonValue()) }), {
        selector: ({ name }) => name,
      }),
      maybe(guardrail(names)),
    )
    .map(([list, topics]) => (topics === undefined ? list : [...list, topics]));
const categories = fc.record({
  member: fc.uniqueArray(fc.constantFrom('malware', 'phishing', 'malicious', 'gambling')),
});
const policyOf = (names: readonly string[]) => {
  const configuration = fc.record(
    {
      'model-protection': detectors(names),
      'agent-protection': fc.record({ name: fc.constant('agent-security'), action }).map((each) => [each]),
      'app-protection': fc.record(
        { 'block-url-category': categories, 'alert-url-category': categories, 'url-detected-action': action },
        { requiredKeys: [] },
      ),
      'data-protection': fc.record({
        'data-leak-detection': fc.record({
          action,
          'mask-data-inline': fc.boolean(),
          member: fc.constantFrom(
            [],
            [{ text: 'Sensitive Content' }],
            [{ text: 'Other' }, { text: 'Sensitive Content' }],
          ),
        }),
        'database-security': fc.constantFrom(null, [], [{ name: 'database-security-read', action: 'block' }]),
      }),
      latency: fc.record({ 'inline-timeout-action': action, 'max-inline-latency': fc.nat(30) }, { requiredKeys: [] }),
      'mask-data-in-storage': fc.boolean(),
    },
    { requiredKeys: [] },
  );
  return fc.record(
    {
      'ai-security-profiles': fc
        .subarray(['default', 'other'])
        .chain((types) =>
          fc.tuple(
            ...types.map((type) => configuration.map((each) => ({ 'model-type': type, 'model-configuration': each }))),
          ),
        ),
      'dlp-data-profiles': some([{ name: 'Sensitive Content' }, { name: 'Other', uuid: '7' }]),
    },
    { requiredKeys: [] },
  );
};

/** A file that the simulated tenant accepts. */
export const file = fc.tuple(some(NEW_TOPICS), some(OLD_TOPICS), some(PROFILES)).chain(([created, known, profiles]) =>
  fc.record({
    topics: fc
      .tuple(...created.map(topicOf), ...known.map(partOf))
      .chain((all) => fc.shuffledSubarray([...all], { minLength: all.length })),
    profiles: fc.tuple(
      ...profiles.map((name) =>
        fc.record({
          name: fc.constant(name),
          active: maybe(fc.boolean()),
          policy: maybe(policyOf([...created, ...OLD_TOPICS])),
        }),
      ),
    ),
  }),
);
/** Of one kind, or of both. */
export const anyFile = fc
  .tuple(file, fc.constantFrom('both', 'topics'))
  .map(([whole, kind]) => (kind === 'both' ? whole : { topics: whole.topics }));

const line = fc
  .string({ minLength: 1, maxLength: 20, unit: anyCharacter })
  .map((each) => each.replace(/[\r\n]/g, ' ').trim())
  .filter((each) => each !== '');

const DICTIONARIES = ['Project Names', 'Words', 'Ünï "quoted"'];
const PATTERNS = ['Customer Number', 'Cards', '__proto__'];
const DATA_PROFILES = ['Customer Records', 'Both', 'constructor'];

const dictionary = (name: string) =>
  fc.record({
    name: fc.constant(name),
    category: fc.constantFrom('Academic', 'Confidential'),
    region_name: fc.constantFrom('United States', 'Germany'),
    description: maybe(line),
    is_case_sensitive: fc.boolean(),
    keywords: fc.uniqueArray(line, { minLength: 1, maxLength: 5 }),
  });

const pattern = (name: string) =>
  fc.record({
    name: fc.constant(name),
    type: fc.constant('custom'),
    detection_technique: fc.constantFrom('regex', 'weighted_regex'),
    supported_confidence_levels: fc.subarray(['low', 'medium', 'high'], { minLength: 1 }),
    description: maybe(line),
    matching_rules: fc.record({
      proximity_distance: fc.integer({ min: 2, max: 1000 }),
      regexes: fc.array(fc.record({ regex: line, weight: fc.nat(9) }), { maxLength: 3 }),
    }),
    tags: maybe(fc.record({ geography: fc.array(line, { maxLength: 2 }) })),
  });

const item = (name: string, detection_technique: string) => ({
  rule_item: { detection_technique, name, match_type: 'include', confidence_level: 'high' },
});

/** @param below profiles that it may combine */
const profile = (
  name: string,
  below: readonly string[],
  dictionaries: readonly string[],
  patterns: readonly string[],
) => {
  const items = [
    ...dictionaries.map((each) => item(each, 'dictionary')),
    ...[...patterns, 'Credit Card Number'].map((each) => item(each, 'regex')),
  ];
  const tree = some(items).map((sub_expressions) => ({
    rule_type: 'expression_tree',
    expression_tree: { operator_type: 'and', sub_expressions: [{ operator_type: 'or', sub_expressions }] },
  }));
  const combined = some([...below, 'Sensitive Content']).map((data_profiles) => ({
    rule_type: 'multi_profile',
    multi_profile: { data_profiles, operator_type: 'or' },
  }));
  return fc.record({
    name: fc.constant(name),
    description: maybe(line),
    is_granular_data_profile: fc.boolean(),
    detection_rules: fc.array(fc.oneof(tree, combined), { minLength: 1, maxLength: 2 }),
  });
};

const filtering = (name: string, profiles: readonly string[]) =>
  fc.record({
    name: fc.constant(name),
    data_profile: fc.constantFrom(...profiles),
    file_based: fc.boolean(),
    non_file_based: fc.boolean(),
    direction: maybe(fc.constantFrom('BOTH', 'UPLOAD')),
    file_type: maybe(fc.uniqueArray(fc.constantFrom('csv', 'pdf', 'xlsx'), { minLength: 1 })),
    is_granular_profile: maybe(fc.boolean()),
  });

/** A file's DLP resources, in any order. */
export const anyDlp = fc
  .tuple(some(DICTIONARIES), some(PATTERNS), some(DATA_PROFILES))
  .chain(([dictionaries, patterns, profiles]) =>
    fc.record({
      dictionaries: fc.tuple(...dictionaries.map(dictionary)),
      patterns: fc.tuple(...patterns.map(pattern)),
      profiles: fc
        .tuple(...profiles.map((name, at) => profile(name, profiles.slice(0, at), dictionaries, patterns)))
        .map((all) => [...all].reverse()),
      filtering_profiles: some(profiles).chain((named) => fc.tuple(...named.map((name) => filtering(name, profiles)))),
    }),
  );

const target = (name: string) =>
  fc.record({
    name: fc.constant(name),
    description: maybe(line),
    target_type: fc.constantFrom('APPLICATION', 'AGENT', 'MODEL'),
    connection_type: fc.constantFrom('REST', 'STREAMING', 'VENDOR_A'),
    api_endpoint_type: maybe(fc.constant('PUBLIC')),
    response_mode: maybe(fc.constantFrom('REST', 'STREAMING')),
    session_supported: fc.boolean(),
    connection_params: maybe(
      fc.record({
        api_endpoint: fc.constant('https://chat.example.com/ask'),
        request_json: fc.constant({ question: '{INPUT}' }),
        response_json: fc.constant({ answer: '{RESPONSE}' }),
      }),
    ),
    target_background: maybe(fc.record({ industry: line, competitors: fc.array(line, { maxLength: 2 }) })),
    additional_context: maybe(fc.record({ base_model: line, system_prompt: line })),
  });

/** Targets without secrets. */
export const anyTargets = some(['support-chatbot', 'Desk', 'Ünï']).chain((names) => fc.tuple(...names.map(target)));
