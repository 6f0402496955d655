/** Random guardrails files that the simulated tenant takes. */
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

/** A file that the simulated tenant takes. */
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
/** Of either kind, or of both. */
export const anyFile = fc
  .tuple(file, fc.constantFrom('both', 'topics'))
  .map(([whole, kind]) => (kind === 'both' ? whole : { topics: whole.topics }));
