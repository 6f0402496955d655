/** Lists that cannot be complete, and scans without outcomes: neither passes a gate, nor makes a complete report. */
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { isObject, type JsonObject, objectOf, objectsOf } from '../../../lib/core/json.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { altering, type Given, report, run } from '../report/support.ts';
import { MODEL_SCANS } from './support.ts';

const { jobs } = RED_TEAM_IDS;
const LENIENT = ['--max-asr', '100', '--output', 'table'];
const ATTACKS = `${jobs.static}/list-attacks`;
const GOALS = `${jobs.dynamic}/list-goals`;
const PROMPTS = `${jobs.custom}/list-custom-attacks`;
const VIOLATIONS = `${MODEL_SCANS.allowed}/rule-violations`;

/** Changes the responses to requests for a list. */
const changed = (path: string, change: (body: JsonObject) => unknown) =>
  altering(path, (body) => change(objectOf(body)));
const gated = (job: string, alter: Given['alter'], ...more: readonly string[]) =>
  run(['gate', 'redteam', job, ...LENIENT, ...more], alter === undefined ? {} : { alter });

/** Ways in which a list says that it is not complete; each also breaks a report. */
const INCOMPLETE: readonly { what: string; change: (body: JsonObject) => unknown; says: RegExp }[] = [
  { what: 'is an empty object', change: () => ({}), says: /sent no list at "data"/ },
  { what: 'is null', change: (body) => ({ ...body, data: null }), says: /sent no list at "data"/ },
  { what: 'says that it is truncated', change: (body) => ({ ...body, truncated: true }), says: /list is truncated/ },
  {
    what: 'is empty against its own count',
    change: (body) => ({ ...body, data: [] }),
    says: /sent 0 of \d+ records/,
  },
];

describe('a list of attacks', () => {
  scenario.each(
    [jobs.static, jobs.dynamic, jobs.custom].flatMap((job) => INCOMPLETE.map((each) => ({ ...each, job }))),
  )('gate-all', 'of $job that $what has no verdict', async ({ job, change, says }) => {
    const alter = changed(`${job}/list-`, change);
    const ended = await gated(job, alter);
    expect({ code: ended.code, says: ended.stderr.replace(/\s+/g, ' ') }).toEqual({
      code: 8,
      says: expect.stringMatching(says),
    });
  });

  scenario.each([
    { what: 'attacks', path: ATTACKS, job: jobs.static, says: /lists 0 of 48 attacks/ },
    { what: 'prompts', path: PROMPTS, job: jobs.custom, says: /lists 0 of 8 prompts/ },
    { what: 'goals', path: GOALS, job: jobs.dynamic, says: /lists no goals/ },
  ])('gate-all', 'without $what and without a count has no verdict', async ({ path, job, says }) => {
    const ended = await gated(
      job,
      changed(path, () => ({ data: [], pagination: { total_items: null } })),
    );
    expect({ code: ended.code, says: ended.stderr.replace(/\s+/g, ' ') }).toEqual({
      code: 8,
      says: expect.stringMatching(says),
    });
  });

  scenario.each([
    { what: 'repeats a record', change: (rows: readonly JsonObject[]) => [...rows.slice(1), rows[1]], says: /twice/ },
    { what: 'lacks its last record', change: (rows: readonly JsonObject[]) => rows.slice(0, -1), says: /47 of 48/ },
  ])('gate-all', 'that $what has no verdict', async ({ change, says }) => {
    const ended = await gated(
      jobs.static,
      changed(ATTACKS, (body) => ({ ...body, data: change(objectsOf(body['data'])) })),
    );
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 8, stderr: expect.stringMatching(says) });
  });

  scenario('gate-all', 'still fails on its successful attacks, and says that it is not complete', async () => {
    const alter = changed(ATTACKS, (body) => ({ ...body, truncated: true }));
    const ended = await gated(jobs.static, alter, '--fail-on', 'critical');
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/severity critical.*list is truncated/s) });
  });

  scenario('gate-all', 'of an incomplete baseline has no verdict', async () => {
    const alter = changed(`${jobs.static}/list-attacks`, (body) => ({ ...body, truncated: true }));
    const ended = await run(['gate', 'redteam', jobs.earlierStatic, '--baseline', jobs.static, '--output', 'table'], {
      alter,
    });
    expect(ended).toMatchObject({ code: 8, stderr: expect.stringMatching(/baseline.*list is truncated/s) });
  });

  scenario.each(INCOMPLETE)('gate-all', 'that $what is not compared', async ({ change }) => {
    const ended = await run(['compare', jobs.earlierStatic, jobs.static], { alter: changed(ATTACKS, change) });
    expect(ended.code).toBe(8);
  });

  scenario.each(
    [jobs.static, jobs.dynamic, jobs.custom].flatMap((job) => INCOMPLETE.map((each) => ({ ...each, job }))),
  )('gate-all', 'of $job that $what does not make a complete report', async ({ job, change }) => {
    const { code, stdout } = await report(job, {
      alter: changed(`${job}/list-`, change),
      more: ['--output', 'json'],
    });
    expect({ code, report: JSON.parse(stdout) }).toMatchObject({ code: 10, report: { complete: false } });
  });

  scenario.each([
    { what: 'attacks', job: jobs.static },
    { what: 'prompts', job: jobs.custom },
    { what: 'goals', job: jobs.dynamic },
  ])('gate-all', 'that is empty while the report counts $what does not make a complete report', async ({ job }) => {
    const { code, stdout } = await report(job, {
      alter: changed(`${job}/list-`, () => ({ data: [], pagination: { total_items: 0 } })),
      more: ['--output', 'json'],
    });
    expect({ code, report: JSON.parse(stdout) }).toMatchObject({ code: 10, report: { complete: false } });
  });
});

describe('a list of violations', () => {
  const { allowed } = MODEL_SCANS;
  const NO_LIST = /sent no list at "violations"/;

  scenario.each([
    { what: 'is an empty object', path: VIOLATIONS, change: () => ({}), says: NO_LIST },
    { what: 'is null', path: VIOLATIONS, change: () => ({ violations: null }), says: NO_LIST },
    {
      what: 'says that it is truncated',
      path: VIOLATIONS,
      change: (body: JsonObject) => ({ ...body, truncated: true }),
      says: /list is truncated/,
    },
    {
      what: 'is empty against its own count',
      path: VIOLATIONS,
      change: () => ({ violations: [], pagination: { total_items: 7 } }),
      says: /sent 0 of 7 records/,
    },
    {
      what: 'is empty while rules failed',
      path: `/v1/scans/${allowed}`,
      change: (body: JsonObject) =>
        isObject(body['eval_summary']) ? { ...body, eval_summary: { rules_failed: 2 } } : body,
      says: /2 rules failed, and the list of violations names 0/,
    },
  ])('gate-all', 'that $what has no verdict', async ({ path, change, says }) => {
    const ended = await run(['gate', 'model', allowed, '--output', 'table'], { alter: changed(path, change) });
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 8, stderr: expect.stringMatching(says) });
  });

  scenario('gate-all', 'is read to its end, at any length', async () => {
    const rows = Array.from({ length: 5200 }, (_, at) => ({
      uuid: `v${at}`,
      rule_name: at === 5199 ? 'Last rule' : 'Licence',
      rule_instance_state: at === 5199 ? 'BLOCKING' : 'ALLOWING',
      file: `f${at}`,
    }));
    const alter: Given['alter'] = (path, response, { searchParams }) => {
      if (!path.includes(VIOLATIONS)) return response;
      const from = Number(searchParams.get('skip') ?? 0);
      const body = { violations: rows.slice(from, from + 100), pagination: { total_items: rows.length } };
      return { ...response, body: JSON.stringify(body) };
    };
    const ended = await run(['gate', 'model', MODEL_SCANS.allowed, '--output', 'table'], { alter });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('has 1 violation that blocks') });
  });
});

describe('a completed scan', () => {
  const ofJob = (change: (job: JsonObject) => unknown) =>
    altering(`/scan/${jobs.static}`, (body) => change(objectOf(body)));

  scenario.each([
    {
      what: 'ran a part of its attacks',
      alter: ofJob((job) => ({ ...job, completed: 3 })),
      says: /ran 3 of 48 attacks/,
    },
    {
      what: 'has one attack without a response',
      alter: changed(ATTACKS, (body) => ({
        ...body,
        data: objectsOf(body['data']).map((row, at) => (at === 4 ? { ...row, threat: null } : row)),
      })),
      says: /1 of 48 attacks has no outcome/,
    },
    {
      what: 'has failed attacks alone',
      alter: changed(ATTACKS, (body) => ({
        ...body,
        data: objectsOf(body['data']).map((row) => ({ ...row, error: true, threat: false })),
      })),
      says: /48 of 48 attacks have no outcome/,
    },
    {
      what: 'lists three of its attacks',
      alter: changed(ATTACKS, (body) => ({
        data: objectsOf(body['data']).slice(0, 3),
        pagination: { total_items: 3 },
      })),
      says: /lists 3 of 48 attacks/,
    },
  ])('gate-outcome', 'that $what has no verdict', async ({ alter, says }) => {
    const ended = await gated(jobs.static, alter);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 8, stderr: expect.stringMatching(says) });
  });

  scenario('gate-outcome', 'that ran only some of its attacks does not make a complete report', async () => {
    const { code, stdout } = await report(jobs.static, {
      alter: ofJob((job) => ({ ...job, completed: 3 })),
      more: ['--output', 'json'],
    });
    expect({ code, report: JSON.parse(stdout) }).toMatchObject({ code: 10, report: { complete: false } });
  });
});
