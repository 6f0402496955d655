/** Random DLP resources and targets that the simulated tenant takes. */
import fc from 'fast-check';
import { anyCharacter } from '../../support/characters.ts';

const text = fc
  .string({ minLength: 1, maxLength: 20, unit: anyCharacter })
  .map((each) => each.replace(/[\r\n]/g, ' ').trim())
  .filter((each) => each !== '');
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const some = <T>(values: readonly T[]) => fc.subarray([...values]);

const DICTIONARIES = ['Project Names', 'Words', 'Ünï "quoted"'];
const PATTERNS = ['Customer Number', 'Cards', '__proto__'];
const PROFILES = ['Customer Records', 'Both', 'constructor'];

const dictionary = (name: string) =>
  fc.record({
    name: fc.constant(name),
    category: fc.constantFrom('Academic', 'Confidential'),
    region_name: fc.constantFrom('United States', 'Germany'),
    description: maybe(text),
    is_case_sensitive: fc.boolean(),
    keywords: fc.uniqueArray(text, { minLength: 1, maxLength: 5 }),
  });

const pattern = (name: string) =>
  fc.record({
    name: fc.constant(name),
    type: fc.constant('custom'),
    detection_technique: fc.constantFrom('regex', 'weighted_regex'),
    supported_confidence_levels: fc.subarray(['low', 'medium', 'high'], { minLength: 1 }),
    description: maybe(text),
    matching_rules: fc.record({
      proximity_distance: fc.integer({ min: 2, max: 1000 }),
      regexes: fc.array(fc.record({ regex: text, weight: fc.nat(9) }), { maxLength: 3 }),
    }),
    tags: maybe(fc.record({ geography: fc.array(text, { maxLength: 2 }) })),
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
    description: maybe(text),
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

/** DLP resources of a file, in any order. */
export const anyDlp = fc
  .tuple(some(DICTIONARIES), some(PATTERNS), some(PROFILES))
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
    description: maybe(text),
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
    target_background: maybe(fc.record({ industry: text, competitors: fc.array(text, { maxLength: 2 }) })),
    additional_context: maybe(fc.record({ base_model: text, system_prompt: text })),
  });

/** Targets without secrets. */
export const anyTargets = some(['support-chatbot', 'Desk', 'Ünï']).chain((names) => fc.tuple(...names.map(target)));
