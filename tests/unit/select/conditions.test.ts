import { boolean, date, number, string, timestamp, unknown } from '../../../lib/runtime/output/record.ts';
import { orderOf, testOf } from '../../../lib/runtime/select/compare.ts';
import { parseConditions, parseSort } from '../../../lib/runtime/select/conditions.ts';
import { TEST_TIME } from '../../support/simulated.ts';

const FIELDS = {
  uuid: string('Id.'),
  name: string('Name.'),
  status: string('State.'),
  severity: string('Severity.'),
  asr: number('Rate.'),
  version: string('Version.'),
  active: boolean('Whether it is active.'),
  tags: unknown('Tags.'),
  'owner.email': string('Owner.'),
  created_at: timestamp('When it was created.'),
  expires: date('When it expires.'),
  sub_category: string('Kind.', { heading: 'Sub-category' }),
  auth_code: string('Code.', { secret: true }),
  target_name: string('Target.', { heading: 'Target' }),
};

const RECORD = {
  uuid: '2c8f5e1b-a7d0-4396-b4f8-e61d09c3a752',
  name: 'Support, chatbot',
  status: 'PARTIALLY_COMPLETE',
  severity: 'HIGH',
  asr: 27.08,
  version: '1.10.2',
  active: false,
  tags: ['blue', 'green'],
  owner: { email: 'ann@example.com' },
  // Three and a half days before the time of the tests.
  created_at: '2026-11-18T00:00:00Z',
  expires: '2026-12-01T00:00:00Z',
  sub_category: 'TOOL_LEAK',
  auth_code: 'canary-code',
  target_name: null,
};

const outcomeOf = (expression: string, record: unknown = RECORD) => {
  const outcomes = parseConditions([expression], FIELDS).map((condition) => testOf(condition, TEST_TIME)(record));
  return outcomes.includes(false) ? false : outcomes.includes('undecided') ? 'undecided' : true;
};

describe('a condition holds', () => {
  test.each([
    'uuid=2c8f5e1b',
    'ID=2c8f5e1b-a7d0-4396-b4f8-e61d09c3a752',
    'name="support, chatbot"',
    'NAME~chat',
    'name!~kiosk',
    'name=support…',
    'name=…chatbot',
    'status=partial',
    'status = ◐ partial',
    'severity>=medium',
    'severity=▆ high',
    'severity<critical',
    'asr>20',
    'asr=27%',
    'asr!=12',
    'ASR > 20 , name~chat',
    'version>1.9',
    'version<2',
    'active=false',
    'active=no',
    'tags=blue',
    'tags~gre',
    'owner.email~ann',
    'age=3d',
    'created_at<1 day ago',
    'created_at>4 days ago',
    'created_at=3 days ago',
    'age>yesterday',
    'created_at<yesterday',
    'created_at<today',
    'created_at=wednesday',
    'created_at=this week',
    'created_at>=last week',
    'created_at=last 5 days',
    'created_at=this month',
    'created_at=this year',
    'created_at=2026',
    'created_at=2026-11',
    'created_at=november',
    'created_at=18 nov',
    'created_at="November 18, 2026"',
    'created_at>december',
    'created_at=2026-11-18T00:00',
    'created_at=2026-11-18T01:00+01:00',
    'created_at!=yesterday',
    'expires<in 2 weeks',
    'age<4d',
    'created_at>1h',
    'created_at<2026-11-19',
    'expires<in 30d',
    'sub-category=tool leak',
    'Sub Category=TOOL_LEAK',
    'target=',
  ])('%s', (expression) => {
    expect(outcomeOf(expression)).toBe(true);
  });
});

describe('a condition is not met', () => {
  test.each([
    'uuid=2c8f',
    'name~kiosk',
    'status=done',
    'severity>high',
    'severity=critical',
    'asr>27.08',
    'asr=27',
    'asr=28%',
    'active=yes',
    'tags=red',
    'age>4d',
    'created_at>1 day ago',
    'created_at>yesterday',
    'created_at>=today',
    'created_at=last week',
    'created_at=2026-10',
    'created_at=saturday',
    'created_at>now',
    'created_at>2026-11-18',
    'target=any',
    'target~any',
    // A missing value is neither equal nor different.
    'target!=any',
    'name=',
    'asr>20,asr<25',
  ])('%s', (expression) => {
    expect(outcomeOf(expression)).toBe(false);
  });
});

describe('an uncertain condition is undecided', () => {
  test.each([
    'name>20',
    'target>a',
    'severity>done',
    // A time in the future has no age.
    'expires<30d',
    // A filter must not reveal a secret letter by letter.
    'auth_code>a',
  ])('%s', (expression) => {
    expect(outcomeOf(expression)).not.toBe(true);
  });

  test.each(['auth_code~canary', 'auth_code=canary-code', 'auth_code!=x'])(
    'a secret is never compared: %s',
    (expression) => {
      expect(outcomeOf(expression)).toBe(false);
    },
  );

  test.each([{}, [], null, 'text', { asr: null }, { asr: { deep: 1 } }, { asr: 'many' }])(
    'a record without the value does not match: %j',
    (record) => {
      expect(outcomeOf('asr>0', record)).not.toBe(true);
    },
  );
});

describe('an expression is refused', () => {
  test.each([
    'soon',
    '2026-02-30',
    '2026-13',
    '18.11.2026',
    '11/18/2026',
    'blue moon ago',
    '3',
    '4 days from',
    'nov 31',
  ])('with an invalid time: %s', (value) => {
    for (const operator of ['>', '<=', '=', '!=']) {
      const error = refusal(() => parseConditions([`created_at${operator}${value}`], FIELDS));
      expect([error.message, error.hint]).toEqual([
        expect.stringContaining('created_at is a time'),
        expect.stringContaining('last week'),
      ]);
    }
  });

  test.each([
    ['', /empty/, /FIELD=VALUE/],
    ['expires<soon', /expires is a time/, /in 30d/],
    ['asr>high', /asr is a number, and "high" is not/, /a number/],
    ['active>maybe', /active is yes or no/, /yes or no/],
    ['status', /"status" compares nothing/, /FIELD=VALUE/],
    ['status=done,partial', /"partial" compares nothing/, /status="\.\.\., \.\.\."/],
    ['asr>', /no value/, /FIELD=VALUE/],
    ['statsu=done', /no field "statsu"/, /Did you mean "status"\?.*Fields: uuid/],
    ['=done', /no field ""/, /Fields:/],
    ['__proto__=x', /no field/, /Fields:/],
    ['constructor~x', /no field/, /Fields:/],
  ])('%s', (expression, message, hint) => {
    const error = refusal(() => parseConditions([expression], FIELDS));
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });

  test.each([
    ['', /names no field/],
    ['asr,', /names no field/],
    ['asr:down', /no known direction/],
    ['asr:desc:asc', /no known direction/],
    ['sate', /no field "sate"/],
  ])('as an order: %s', (expression, message) => {
    expect(refusal(() => parseSort(expression, FIELDS)).message).toMatch(message);
  });

  test('a long expression is read in time proportional to its length', () => {
    const error = refusal(() => parseConditions([`${'a'.repeat(50_000)}${' '.repeat(50_000)}`], FIELDS));
    expect(error.message.length).toBeLessThan(200);
  });
});

function refusal(run: () => unknown): { message: string; hint: string } {
  try {
    run();
  } catch (thrown) {
    return thrown as { message: string; hint: string };
  }
  throw new Error('it was accepted');
}

describe('the order of records', () => {
  const sorted = (key: string, member: string, values: readonly unknown[]) =>
    values
      .map((value) => ({ [member]: value }))
      .sort(orderOf(parseSort(key, FIELDS)))
      .map((record) => record[member]);

  test.each([
    ['asr', 'asr', [30, null, 4, 100], [4, 30, 100, null]],
    ['asr:desc', 'asr', [30, null, 4, 100], [100, 30, 4, null]],
    [
      'severity',
      'severity',
      ['LOW', 'CRITICAL', 'odd', 'MEDIUM', 'HIGH'],
      ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'odd'],
    ],
    ['severity:desc', 'severity', ['HIGH', 'LOW', 'CRITICAL'], ['LOW', 'HIGH', 'CRITICAL']],
    ['name', 'name', ['b10', 'B2', 'a'], ['a', 'B2', 'b10']],
    ['created_at', 'created_at', ['2026-11-02', '2026-11-01', 'never'], ['2026-11-01', '2026-11-02', 'never']],
    ['age', 'created_at', ['2026-11-01', '2026-11-02'], ['2026-11-02', '2026-11-01']],
    ['Status', 'status', ['RUNNING', 'COMPLETED', 'ABORTED'], ['ABORTED', 'COMPLETED', 'RUNNING']],
    ['active', 'active', [false, true], [true, false]],
  ])('by %s', (key, member, values, expected) => {
    expect(sorted(key, member, values)).toEqual(expected);
  });

  test('several keys apply in order, and equal records keep the order of the service', () => {
    const records = [
      { name: 'c', asr: 1 },
      { name: 'b', asr: 2 },
      { name: 'a', asr: 1 },
      { name: 'd', asr: 2, uuid: 'later' },
    ];
    const names = records.sort(orderOf(parseSort('asr:desc', FIELDS))).map(({ name }) => name);
    expect(names).toEqual(['b', 'd', 'c', 'a']);
    expect(records.sort(orderOf(parseSort('asr:desc, name', FIELDS))).map(({ name }) => name)).toEqual([
      'b',
      'd',
      'a',
      'c',
    ]);
  });
});
