import {
  blockedModels,
  expiringKeys,
  failedScans,
  openAttacks,
  usedQuotas,
} from '../../../lib/features/dashboard/attention.ts';
import { groupsOf, newestScan, seriesOf } from '../../../lib/features/dashboard/scans.ts';

const NOW = Date.UTC(2026, 10, 1, 12);
const DAY = 86_400_000;
const inDays = (days: number) => new Date(NOW + days * DAY).toISOString();

describe('a key', () => {
  test.each([
    {
      what: 'that expires in three weeks is of medium urgency',
      days: 21,
      urgency: 'medium',
      state: 'expires in 21 days',
    },
    { what: 'that expires in two days is urgent', days: 2, urgency: 'high', state: 'expires in 2 days' },
    { what: 'that expires within the day is urgent', days: 0.5, urgency: 'high', state: 'expires in 0 days' },
    { what: 'that has expired is urgent', days: -3, urgency: 'high', state: 'expired on 2026-10-29' },
    { what: 'that expires in a month needs no attention', days: 30, urgency: undefined, state: undefined },
  ])('$what', ({ days, urgency, state }) => {
    const [item] = expiringKeys([{ name: 'ci', expires_at: inDays(days), revoked: false }], NOW);
    expect([item?.urgency, item?.state]).toEqual([urgency, state]);
  });

  test.each([
    { what: 'a revoked key', key: { name: 'ci', expires_at: inDays(-1), revoked: true } },
    { what: 'a key without a date', key: { name: 'ci', expires_at: null, revoked: false } },
  ])('needs no attention: $what', ({ key }) => {
    expect(expiringKeys([key], NOW)).toEqual([]);
  });
});

describe('a model', () => {
  const scan = (uuid: string, eval_outcome: string, group = 'Production') => ({
    ...{ uuid, eval_outcome, model_uri: 'https://hub.test/a/b' },
    ...{ security_group_uuid: group, security_group_name: group },
  });

  test('is judged by its newest scan in each security group', () => {
    const scans = [
      scan('4', 'ALLOWED'),
      scan('3', 'ERROR', 'Staging'),
      scan('2', 'BLOCKED'),
      scan('1', 'BLOCKED', 'Lab'),
    ];
    expect(blockedModels(scans).map(({ urgency, state }) => [urgency, state])).toEqual([
      ['medium', 'could not be scanned by Staging'],
      ['high', 'is blocked by Lab'],
    ]);
  });

  test('whose newest scan is pending does not hide an older block', () => {
    expect(blockedModels([scan('2', 'PENDING'), scan('1', 'BLOCKED')])).toHaveLength(1);
  });
});

describe('a quota', () => {
  test.each([
    { consumed: 44, allocated: 50, unlimited: false, urgency: undefined },
    { consumed: 45, allocated: 50, unlimited: false, urgency: 'medium' },
    { consumed: 50, allocated: 50, unlimited: false, urgency: 'high' },
    { consumed: 60, allocated: 50, unlimited: false, urgency: 'high' },
    { consumed: 60, allocated: 50, unlimited: true, urgency: undefined },
    { consumed: 5, allocated: 0, unlimited: false, urgency: undefined },
    { consumed: undefined, allocated: 50, unlimited: false, urgency: undefined },
  ])('with $consumed of $allocated, unlimited: $unlimited, has the urgency $urgency', ({ urgency, ...quota }) => {
    expect(usedQuotas([{ type: 'Static scans', ...quota }])[0]?.urgency).toBe(urgency);
  });
});

describe('the scans of a tenant', () => {
  const scan = (uuid: string, day: number, status: string, more: object = {}) => ({
    ...{
      uuid,
      status,
      job_type: 'STATIC',
      target_id: 't',
      target: { uuid: 't', name: 'chat' },
      total: 10,
      completed: 10,
    },
    ...{ created_at: `2026-10-0${day}T00:00:00Z`, asr: status === 'COMPLETED' ? day * 10 : null },
    ...more,
  });

  test.each([
    {
      what: 'a failure',
      scans: [scan('b', 2, 'FAILED'), scan('a', 1, 'COMPLETED')],
      state: 'static scan of 2026-10-02 failed',
    },
    { what: 'a success after a failure', scans: [scan('a', 1, 'FAILED'), scan('b', 2, 'COMPLETED')], state: undefined },
    {
      what: 'a failure before a running scan',
      scans: [scan('b', 2, 'RUNNING'), scan('a', 1, 'FAILED')],
      state: 'static scan of 2026-10-01 failed',
    },
    {
      what: 'a partial scan',
      scans: [scan('b', 2, 'PARTIALLY_COMPLETE')],
      state: 'static scan of 2026-10-02 stayed partial',
    },
  ])('report a failure according to the newest scan: $what', ({ scans, state }) => {
    expect(failedScans(groupsOf(scans))[0]?.state).toBe(state);
  });

  test('are grouped by target and type, as their rates are shares of different things', () => {
    const groups = groupsOf([
      scan('a', 1, 'COMPLETED'),
      scan('b', 2, 'COMPLETED', { job_type: 'DYNAMIC' }),
      scan('c', 3, 'COMPLETED', { target_id: 'other', target: { uuid: 'other', name: 'chat' } }),
      scan('d', 4, 'COMPLETED'),
    ]);
    expect(groups.map(({ type, scans }) => [type, scans.map(({ uuid }) => uuid)])).toEqual([
      ['STATIC', ['d', 'a']],
      ['STATIC', ['c']],
      ['DYNAMIC', ['b']],
    ]);
  });

  test('make a history of completed scans, the oldest first, with their intervals', () => {
    const [group] = groupsOf([scan('c', 3, 'COMPLETED'), scan('b', 2, 'FAILED'), scan('a', 1, 'COMPLETED')]);
    const points = group === undefined ? [] : (seriesOf(group)?.points ?? []);
    expect(points.map(({ id, asr }) => [id, asr])).toEqual([
      ['a', 10],
      ['c', 30],
    ]);
    expect(points.every(({ interval }) => interval?.trials === 10)).toBe(true);
    expect(group && newestScan(group)?.uuid).toBe('c');
  });

  test.each([undefined, null, 'none', [null, 5, 'x'], [{}]])('are read from %p without an error', (raw) => {
    expect(groupsOf(raw).every((group) => seriesOf(group) === undefined)).toBe(true);
  });
});

describe('attention', () => {
  test('for open attacks requires a critical attack', () => {
    const column = (hits: Readonly<Record<string, number>>) => ({
      ...{ target: 'chat', scan: 'a', isOlder: false, noun: 'attack' },
      severities: Object.entries(hits).map(([severity, hit]) => ({ severity, hit })),
    });
    const states = openAttacks([column({ CRITICAL: 1, HIGH: 2 }), column({ CRITICAL: 0, HIGH: 9 })]).map(
      ({ state }) => state,
    );
    expect(states).toEqual(['gave in to 1 critical attack, and 2 high']);
  });
});
