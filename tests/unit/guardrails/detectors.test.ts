/** Detectors that a file names without an action: they protect nothing, so they never read as unchanged. */
import { ValidationError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import { failing } from '../../support/exchange.ts';
import { planned, profile } from './records.ts';
import { changes, policy } from './support.ts';

const inConfiguration = (more: JsonObject) => ({
  'ai-security-profiles': [{ 'model-type': 'default', 'model-configuration': more }],
});
const file = (stated: JsonObject) => ({ profiles: [{ name: 'p', policy: stated }] });
const tenant = (...own: readonly object[]) => ({ profiles: [profile('p', { policy: policy(...own) })] });
const CONFIGURATION = 'profiles.0.policy.ai-security-profiles.0.model-configuration';

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
      title: 'of an empty profile',
      stated: policy({ name: 'toxic-content', action: 'high:block' }, { name: 'prompt-injection', action: null }),
      own: [],
      place: 'model-protection.1',
      lacks: 'prompt-injection',
    },
    {
      title: 'with empty members',
      stated: policy({ name: 'topic-guardrails', options: [], 'topic-list': [] }),
      own: [],
      place: 'model-protection.0',
      lacks: 'topic-guardrails',
    },
    {
      title: 'of agents',
      stated: inConfiguration({ 'agent-protection': [{ name: 'agent-security' }] }),
      own: [],
      place: 'agent-protection.0',
      lacks: 'agent-security',
    },
    {
      title: 'of the database',
      stated: inConfiguration({ 'data-protection': { 'database-security': [{ name: 'database-security-read' }] } }),
      own: [],
      place: 'data-protection.database-security.0',
      lacks: 'database-security-read',
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

  test('of a type of model that the tenant lacks is refused', async () => {
    const stated = { 'ai-security-profiles': [{ ...inConfiguration({})['ai-security-profiles'][0] }] };
    const other = { 'model-type': 'other', 'model-configuration': { 'model-protection': [{ name: 'toxic-content' }] } };
    const error = await failing(
      planned(file({ 'ai-security-profiles': [...stated['ai-security-profiles'], other] }), tenant(), {
        prune: false,
        allowUnknown: true,
      }),
    );
    expect(error.message).toContain('ai-security-profiles.1.model-configuration.model-protection.0: ');
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
      title: 'but with an action is added',
      stated: policy({ name: 'prompt-injection', action: 'block' }),
      own: [],
      expected: 'update profile p',
    },
    {
      title: 'but with categories is added',
      stated: policy({ name: 'toxic-content', 'toxic-category-list': [{ category: 'hate', action: 'high:block' }] }),
      own: [],
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
