import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering } from '../../support/scripted.ts';

const LIST = '!aisec-model-security-models-list';

/** Runs a line. @returns the query of its request */
async function queryOf(line: string): Promise<URLSearchParams> {
  const room = answering(() => ({ answer: { models: [], model_versions: [], pagination: { total_items: 0 } } }));
  await room.run(line);
  return new URL(room.requests[0]?.url ?? '').searchParams;
}

describe('the catalogue', () => {});

describe('filters of the list', () => {});

describe('times', () => {
  requirement.each([
    { typed: '2026-11-01T10:00:00Z', sent: '2026-11-01T10:00:00Z' },
    { typed: '2026-11-01T10:00:00.123456Z', sent: '2026-11-01T10:00:00Z' },
    { typed: '2026-11-01T10:00:00+02:00', sent: '2026-11-01T08:00:00Z' },
    { typed: '"2026-11-01 10:00"', sent: '2026-11-01T10:00:00Z' },
    { typed: '2026-11-01', sent: '2026-11-01T00:00:00Z' },
    { typed: '"7 days"', sent: '2026-11-14T12:00:00Z' },
    { typed: '"7 days ago"', sent: '2026-11-14T12:00:00Z' },
    { typed: '7days', sent: '2026-11-14T12:00:00Z' },
    { typed: '"1 week"', sent: '2026-11-14T12:00:00Z' },
    { typed: '"36 hours"', sent: '2026-11-20T00:00:00Z' },
    { typed: '"90 minutes"', sent: '2026-11-21T10:30:00Z' },
    { typed: 'now', sent: '2026-11-21T12:00:00Z' },
  ])(['model-list-start-time', 'model-list-end-time'], '$typed is sent as $sent', async ({ typed, sent }) => {
    expect((await queryOf(`${LIST} start_time=${typed}`)).get('start_time')).toBe(sent);
    const end = (await queryOf(`${LIST} end_time=${typed}`)).get('end_time');
    expect(end).toBe(typed === '2026-11-01' ? '2026-11-01T23:59:59.999999Z' : sent);
  });

  test.each([
    'yesterday',
    '7 fortnights',
    '-7 days',
    '11/21/2026',
    '2026-02-31',
    '2026-02-31T10:00:00Z',
    '2026-11-21T25:00:00Z',
    '1795214469',
  ])('the time %s is refused before anything is sent', async (typed) => {
    for (const argument of ['start_time', 'end_time']) {
      const room = answering(() => ({ answer: {} }));
      const error = await room.fail(`${LIST} ${argument}="${typed}"`);
      expect(error).toMatchObject({ exitCode: 2, argument });
      expect(error.message).toContain(typed);
      expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
    }
  });
});
