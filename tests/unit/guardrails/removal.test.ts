/** Deletions of a profile whose revisions have ids of their own. */
import { NotFoundError, ServiceError } from '../../../lib/core/errors.ts';
import type { RunCommand } from '../../../lib/engine/run-command.ts';
import { applyPlan } from '../../../lib/features/guardrails/apply.ts';
import type { Plan } from '../../../lib/features/guardrails/plan.ts';
import { alone } from './support.ts';

const record = { kind: 'profile', id: 'new', name: 'p', revision: 3, members: {}, older: ['two', 'one'] } as const;
const PLAN: Plan = {
  changes: [{ kind: 'profile', name: 'p', verb: 'delete', members: [], record }],
  topics: new Map(),
  notes: [],
  tenant: { topics: [], profiles: [record] },
} as unknown as Plan;

/** Applies the plan; the service answers a deletion as the table says, and confirms all others. */
async function applied(answers: Readonly<Record<string, () => unknown>>) {
  const deleted: string[] = [];
  const run: RunCommand = async (command, args) => {
    if (command.endsWith('-get') && deleted.includes('new')) throw new NotFoundError('It is gone.');
    const raw = command.endsWith('-get') ? { id: 'new', name: 'p', revision: 3 } : { deleted: true };
    const id = args['profile_id'] ?? '';
    if (command.endsWith('-delete')) deleted.push(id);
    const own = command.endsWith('-delete') ? answers[id]?.() : undefined;
    return { record: (own ?? raw) as typeof raw, records: [], raw, simulated: true };
  };
  const { steps, failure } = await applyPlan(PLAN, alone(run), () => undefined);
  return { deleted, state: steps[0]?.state, failure };
}

const fails = (error: Error) => () => {
  throw error;
};

test('older revisions are deleted with the newest, because an older revision would come into force', async () => {
  expect(await applied({})).toEqual({ deleted: ['new', 'two', 'one'], state: 'done', failure: undefined });
});

test.each([
  ['fails', fails(new ServiceError('It is broken.')), 'It is broken.'],
  ['is not confirmed', () => ({ deleted: false }), 'did not confirm'],
])('a deletion of an older revision that %s ends the apply', async (_, answer, message) => {
  const { deleted, state, failure } = await applied({ two: answer });
  expect([deleted, state]).toEqual([['new', 'two'], 'partly made']);
  expect(failure?.message).toContain(message);
});

test('an older revision that no longer exists counts as deleted', async () => {
  const { deleted, state } = await applied({ two: fails(new NotFoundError('There is none.')) });
  expect([deleted, state]).toEqual([['new', 'two', 'one'], 'done']);
});
