/** Laws of plans, for any file, on the simulated service. */
import fc from 'fast-check';
import { changesIn } from '../../../lib/features/guardrails/apply.ts';
import { applicationError } from '../../../lib/features/guardrails/outcome.ts';
import type { PlanOptions } from '../../../lib/features/guardrails/plan.ts';
import { reconcile } from '../../../lib/runtime/topics/reconcile.ts';
import { runs, shareOf, TEST_MS } from '../../support/runs.ts';
import { anyFile } from './random-files.ts';
import { apply, changes, plan, tenancy } from './support.ts';

const quirks = fc.constantFrom<readonly string[]>(
  [],
  ['new-profile-id'],
  ['null-groups'],
  ['null-topics'],
  ['no-nulls'],
  ['object-deletes', 'null-groups'],
);
/** Some of the names do not exist. */
const options = fc.record({ prune: fc.boolean(), allowUnknown: fc.constant(true) });

test(
  'after an apply there is no difference, and a second apply changes nothing',
  async () => {
    let complete = 0;
    const holds = async (content: object, oddities: readonly string[], option: PlanOptions) => {
      const tenant = tenancy({ quirks: oddities });
      const first = await plan(content, tenant, option);
      fc.pre(first.conflict === undefined);
      const outcome = await apply(content, tenant, option);
      const made = outcome.steps.filter(({ state }) => state === 'done').length;
      const next = await plan(content, tenant, option);
      // A profile that a policy of the tenant uses cannot be deleted.
      expect(outcome.failure?.message ?? 'used by a policy').toContain('used by a policy');
      expect(changesIn(next)).toHaveLength(changesIn(first).length - made);
      if (outcome.failure !== undefined) return;
      complete += 1;
      expect(applicationError(outcome)).toBeUndefined();
      expect(changesIn(next)).toEqual([]);
      tenant.writes.length = 0;
      await apply(content, tenant, option);
      expect(tenant.writes).toEqual([]);
    };
    await fc.assert(fc.asyncProperty(anyFile, quirks, options, holds), runs(80, 1));
    expect(complete).toBeGreaterThan(shareOf(80) / 4);
  },
  TEST_MS,
);

test(
  'a plan changes nothing in the tenant, and is the same if it is created again',
  async () => {
    const holds = async (content: object, option: PlanOptions) => {
      const tenant = tenancy();
      const first = await plan(content, tenant, option);
      const again = await plan(content, tenant, option);
      expect(changes(again)).toEqual(changes(first));
      expect(tenant.writes).toEqual([]);
      const sent = tenant.room.requests.filter(({ url }) => !url.includes('/oauth2/')).map(({ method }) => method);
      expect([...new Set(sent)]).toEqual(['GET']);
    };
    await fc.assert(fc.asyncProperty(anyFile, options, holds), runs(20, 2));
  },
  TEST_MS,
);

test(
  'without prune nothing is deleted',
  async () => {
    const holds = async (content: object, oddities: readonly string[]) => {
      const tenant = tenancy({ quirks: oddities });
      const before = await names(tenant);
      await apply(content, tenant, { prune: false, allowUnknown: true });
      const after = await names(tenant);
      expect(before.filter((name) => !after.includes(name))).toEqual([]);
      expect(tenant.room.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
    };
    await fc.assert(fc.asyncProperty(anyFile, quirks, holds), runs(20, 3));
  },
  TEST_MS,
);

async function names({ room }: ReturnType<typeof tenancy>) {
  const topics = await room.values('!aisec-runtime-topics-list');
  const profiles = await room.values('!aisec-runtime-profiles-list');
  return [...topics.map(({ topic_name }) => topic_name), ...profiles.map(({ name }) => name)];
}

test('a merged value no longer differs, whatever the current value was', () => {
  const list = fc.constantFrom(
    'model-protection',
    'topic-list',
    'topic',
    'member',
    'dlp-data-profiles',
    'options',
    'other',
  );
  const entry = fc.dictionary(
    fc.constantFrom('name', 'action', 'topic', 'topic_name', 'text', 'category'),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.dictionary(list, fc.oneof(fc.array(entry), fc.jsonValue({ maxDepth: 2 }))),
  );
  const holds = (stated: unknown, current: unknown) => {
    const { value: merged } = reconcile(stated, current);
    expect(reconcile(stated, merged).changes).toEqual([]);
    expect(reconcile(stated, merged).value).toBe(merged);
  };
  fc.assert(fc.property(value, value, holds), runs(200, 4));
});
