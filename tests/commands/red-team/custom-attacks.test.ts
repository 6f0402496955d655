import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import type { HttpRequest } from '../../../lib/core/ports.ts';
import { markdown } from '../../../lib/output/markdown.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, answeringWith, asked, tableOf } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { DATA, describeGoldens } from './golden.ts';
import { ATTACK, goldens, keys, PROMPT, row, SET, set } from './goldens/custom-attacks.ts';
import { JOB } from './goldens/scans.ts';

const { jobs, promptSets } = RED_TEAM_IDS;

const REPORT = '!aisec-redteam-custom-attack-report-get';
const SETS = '!aisec-redteam-custom-attack-report-prompt-sets';
const PROMPTS = '!aisec-redteam-custom-attack-report-prompts';
const PROMPT_GET = '!aisec-redteam-custom-attack-report-prompt-get';
const ATTACKS = '!aisec-redteam-custom-attacks-list';
const OUTPUTS = '!aisec-redteam-custom-attack-outputs';
const STATS = '!aisec-redteam-custom-attack-property-stats';

const attacksOf = (value: unknown): Record<string, unknown>[] => Object(value).attacks;

describe('requests and context', () => {
  describeGoldens({ prefixes: ['aisec-redteam-custom-attack'], keys, goldens });

  const lines = [
    `${REPORT} job_id=`,
    `${SETS} job_id=`,
    `${PROMPTS} job_id=${JOB} prompt_set_id=`,
    `${PROMPT_GET} job_id=${JOB} prompt_id=`,
    `${ATTACKS} job_id=`,
    `${ATTACKS} job_id=${JOB} prompt_set_id=`,
    `${OUTPUTS} job_id=${JOB} attack_id=`,
    `${STATS} job_id=`,
  ];
  scenario.each(
    ['prompts', '..', '%2e%2e', 'a/b', `${JOB}?x`].flatMap((word) => lines.map((line) => ({ line: line + word }))),
  )('path-words', '$line is refused without a UUID, and nothing is sent', async ({ line }) => {
    const room = answeringWith();
    expect(await room.fail(line)).toMatchObject({ code: 'arguments', exitCode: 2 });
    expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
  });

  scenario.each([
    { line: `${REPORT} ${JOB}`, answer: { asr: [] }, path: 'AiSec.RedTeamCustomAttackReport.asr' },
    { line: `${SETS} ${JOB}`, answer: { prompt_sets: {} }, path: '"prompt_sets"' },
    { line: `${PROMPTS} ${JOB} prompt_set_id=${SET}`, answer: ['x'], path: '"items"' },
    { line: `${ATTACKS} ${JOB}`, answer: { data: 3 }, path: '"data"' },
    { line: `${OUTPUTS} ${JOB} attack_id=${ATTACK}`, answer: [{ threat: 'x' }], path: 'CustomAttackOutput.threat' },
    { line: `${STATS} ${JOB}`, answer: [{ property_name: {} }], path: 'CustomAttackPropertyStat.property_name' },
  ])('unknown-response-field', '$line rejects a response of another type and names $path', async (given) => {
    const error = await answeringWith(given.answer).fail(given.line);
    expect(error).toMatchObject({ code: 'response', exitCode: 8 });
    expect(error.message).toContain(given.path);
  });
});

describe('pages', () => {
  const TOTAL = 230;
  const all = Array.from({ length: TOTAL }, (_, index) => ({
    prompt_id: `p-${index}`,
    prompt_set_id: `s-${index}`,
    attack_id: `a-${index}`,
    prompt_text: index % 10 === 0 ? 'Refund it.' : 'Hello.',
    goal: index === 5 ? 'A REFUND' : null,
  }));

  const window = ({ url }: HttpRequest) => {
    const query = new URL(url).searchParams;
    return all.slice(Number(query.get('skip')), Number(query.get('skip')) + Number(query.get('limit')));
  };
  const bare = () => answering((request) => ({ answer: window(request) }));
  const wrapped = (total: number | null = TOTAL) =>
    answering((request) => ({
      answer: { data: window(request), pagination: { total_items: total }, total_attacks: 400, total_threats: 9 },
    }));
  const prompts = `${PROMPTS} ${JOB} prompt_set_id=${SET}`;
  const attacks = `${ATTACKS} ${JOB}`;
  const idsIn = (rows: unknown, id = 'prompt_id') => (Array.isArray(rows) ? rows.map((each) => each[id]) : rows);
  const ids = (from: number, count: number) => all.slice(from, from + count).map(({ prompt_id }) => prompt_id);

  requirement.each([
    { args: '', from: 0, count: 50, pages: [[0, 50]] },
    { args: 'limit=100', from: 0, count: 100, pages: [[0, 100]] },
    {
      args: 'limit=201',
      from: 0,
      count: 201,
      pages: [
        [0, 100],
        [100, 100],
        [200, 1],
      ],
    },
    {
      args: 'limit=1000 skip=120',
      from: 120,
      count: 110,
      pages: [
        [120, 100],
        [220, 100],
      ],
    },
  ])(
    ['red-team-limit-defaults-to-50', 'red-team-skip-passes-over-records', 'limit-is-a-maximum'],
    'prompts and attacks with "$args" are $count from position $from, at most a hundred per request',
    async ({ args, from, count, pages }) => {
      for (const [line, room] of [
        [prompts, bare()],
        [attacks, wrapped()],
      ] as const) {
        const value = await room.value(`${line} ${args}`);
        expect(idsIn(line === prompts ? value : attacksOf(value))).toEqual(ids(from, count));
        expect(room.requests.map(({ url }) => new URL(url).search)).toEqual(
          pages.map(([skip, limit]) => `?skip=${skip}&limit=${limit}`),
        );
      }
    },
  );

  test('all prompt sets are read', async () => {
    const room = answering((request) => ({ answer: { prompt_sets: window(request), total_prompt_sets: TOTAL } }));
    expect(idsIn(await room.value(`${SETS} ${JOB}`), 'prompt_set_id')).toHaveLength(TOTAL);
    expect(room.requests).toHaveLength(3);
  });

  requirement('custom-attacks-summary', 'counts cover all attacks at any limit', async () => {
    const { writes, readable } = await wrapped().run(`${attacks} limit=2`);
    expect(writes[0]?.value).toMatchObject({ summary: { total_attacks: 400, total_threats: 9, total_items: TOTAL } });
    expect(readable.notes).toEqual(['2 shown, there are 230: continue with skip=2, or a higher limit.']);
    const withoutTotal = await wrapped(null).value(`${attacks} limit=2`);
    expect(withoutTotal).toMatchObject({ summary: { total_attacks: 400, total_threats: 9, total_items: null } });
  });

  requirement('red-team-search-filters-text', 'a search is applied, even if the service ignores it', async () => {
    const wanted = all.filter(({ prompt_text, goal }) => /refund/i.test(`${prompt_text} ${goal}`));
    for (const [line, room] of [
      [prompts, bare()],
      [attacks, wrapped()],
    ] as const) {
      const value = await room.value(`${line} search=refund skip=1 limit=3`);
      const rows = line === prompts ? value : attacksOf(value);
      expect(idsIn(rows)).toEqual(wanted.slice(1, 4).map(({ prompt_id }) => prompt_id));
      expect(room.requests[0]?.url).toContain('search=refund');
    }
  });

  scenario('page-repeat', 'a service that repeats a page is detected', async () => {
    const room = answeringWith(all.slice(0, 100));
    const { writes, readable } = await room.run(`${prompts} limit=200`);
    expect(idsIn(writes[0]?.value)).toEqual(ids(0, 100));
    expect(readable.notes).toEqual([expect.stringContaining('repeated a page')]);
  });

  test.each(['limit=0', 'skip=-1', 'threat=maybe', 'limit=x'])('attacks with %s are refused', async (wrong) => {
    const room = answeringWith();
    expect(await room.fail(`${attacks} ${wrong}`)).toMatchObject({ exitCode: 2, argument: wrong.split('=')[0] });
    expectNone(room.requests, 'requests');
  });
});

describe('the report of custom attacks', () => {
  requirement('custom-attack-report', 'counts prompts, attacks and threats, and has score and rate', async () => {
    expect(await warRoom().value(`${REPORT} ${jobs.custom}`)).toMatchObject({
      job_id: jobs.custom,
      total_prompts: 8,
      total_attacks: 8,
      total_threats: 5,
      failed_attacks: 3,
      score: 62.5,
      asr: 62.5,
    });
  });

  test('the report has tables by prompt set and by property', async () => {
    const answer = { ...set, custom_attack_reports: [set], property_statistics: set.property_statistics };
    const result = await answeringWith(answer).run(`${REPORT} ${JOB}`);
    expect(tableOf(result, 'By Prompt Set')?.rows).toEqual([['refunds', '5', '5', '2', '3', '40', SET]]);
    expect(tableOf(result, 'By Property')?.rows).toEqual([['region', 'europe', '1', '3', '33.33']]);
  });

  requirement('custom-attack-report-sets', 'breaks down into one record for each prompt set', async () => {
    const sets = await warRoom().values(`${SETS} ${jobs.custom}`);
    expect(sets).toMatchObject([
      {
        prompt_set_id: promptSets.refundAbuse,
        prompt_set_name: 'refund-abuse',
        total_prompts: 5,
        total_threats: 2,
        threat_rate: 40,
        property_names: ['region', 'customer tier'],
      },
      { prompt_set_id: promptSets.brandVoice, total_threats: 3, threat_rate: 100, property_names: [] },
    ]);
  });

  test.each([REPORT, SETS, ATTACKS, STATS])(
    '%s of a scan of another type is not found, with a hint',
    async (command) => {
      const error = await warRoom().fail(`${command} ${jobs.static}`);
      expect(error).toMatchObject({ code: 'not-found', exitCode: 5, status: 404 });
      expect(error.hint).toContain('each type has its own report');
    },
  );
});

const promptsOf = (room: WarRoom, args = '') =>
  room.values(`${PROMPTS} ${jobs.custom} prompt_set_id=${promptSets.refundAbuse} ${args}`);

describe('prompts of a report', () => {
  requirement.each([
    { args: 'is_threat=true', count: 2, threat: true },
    { args: 'is_threat=no', count: 3, threat: false },
  ])('custom-attack-report-prompt-filter', '$args lists $count', async ({ args, count, threat }) => {
    const rows = await promptsOf(warRoom(), args);
    expect(rows.map((each) => each.threat)).toEqual(Array.from({ length: count }, () => threat));
    expect(await promptsOf(warRoom())).toHaveLength(5);
  });

  requirement(
    'custom-attack-report-prompt-adds-outputs',
    'a single prompt adds the outputs of its attack',
    async () => {
      const room = warRoom();
      const [first] = await promptsOf(room);
      const { attack_outputs, ...rest } = await room.value(
        `${PROMPT_GET} ${jobs.custom} prompt_id=${String(first?.prompt_id)}`,
      );
      expect(rest).toEqual(first);
      expect(attack_outputs).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
      expect(Object(room.context.AiSec).RedTeamCustomAttackPrompt).toHaveLength(5);
    },
  );

  test.each([
    { what: 'texts', outputs: ['Certainly.', 'No.'] },
    { what: 'objects', outputs: [{ output: 'Certainly.' }, { output: 'No.' }] },
    { what: 'both', outputs: ['Certainly.', { output: 'No.' }] },
  ])('outputs are shown line by line if they are $what', async ({ outputs }) => {
    const room = answeringWith({ ...row, attack_outputs: outputs });
    const { readable } = await room.run(`${PROMPT_GET} ${JOB} prompt_id=${PROMPT}`);
    expect(readable.tables[0]?.rows).toContainEqual(['Attack Outputs', 'Certainly.\nNo.']);
    expect(readable.tables[0]?.rows).toContainEqual(['Properties', 'region: europe']);
  });

  test('a prompt in two scans has two records', async () => {
    const room = warRoom();
    await promptsOf(room);
    const line = `!aisec-redteam-scan-create name=again target_uuid=${RED_TEAM_IDS.targets.hrAssistant} job_type=CUSTOM`;
    const { uuid } = await room.value(`${line} custom_prompt_sets=${promptSets.refundAbuse} wait=true`);
    await room.run(`${PROMPTS} ${String(uuid)} prompt_set_id=${promptSets.refundAbuse}`);
    await promptsOf(room);
    expect(Object(room.context.AiSec).RedTeamCustomAttackPrompt).toHaveLength(10);
  });
});

describe('attacks and their outputs', () => {
  requirement.each([
    { args: '', count: 8 },
    { args: 'threat=true', count: 5 },
    { args: 'threat=false', count: 3 },
    { args: `prompt_set_id=${promptSets.brandVoice}`, count: 3 },
    { args: 'property_value=`{"region": "europe"}`', count: 3 },
    { args: 'property_value=premium', count: 3 },
    { args: `threat=false property_value=premium`, count: 1 },
  ])('custom-attacks-filters', '"$args" returns $count attacks', async ({ args, count }) => {
    const value = await warRoom().value(`${ATTACKS} ${jobs.custom} ${args}`);
    expect(value.attacks).toHaveLength(count);
    expect(value.summary).toMatchObject({ total_attacks: count, total_items: count });
  });

  requirement('custom-attacks-summary', 'the summary counts the filtered attacks', async () => {
    const room = warRoom();
    const { job_id, summary } = await room.value(`${ATTACKS} ${jobs.custom} threat=true limit=2`);
    expect({ job_id, summary }).toEqual({
      job_id: jobs.custom,
      summary: { total_attacks: 5, total_threats: 5, total_items: 5 },
    });
    await room.run(`${ATTACKS} ${jobs.custom}`);
    expect(Object(room.context.AiSec).RedTeamCustomAttack).toMatchObject({ summary: { total_items: 8 } });
  });

  test('the table has a row for each attack', async () => {
    const result = await warRoom().run(`${ATTACKS} ${jobs.custom} limit=3`);
    expect(tableOf(result, 'Attacks')?.rows).toHaveLength(3);
  });

  requirement('custom-attack-outputs', 'outputs are read by job and attack, each with threat and mark', async () => {
    const room = warRoom();
    const [broken] = await promptsOf(room, 'is_threat=true');
    const outputs = await room.values(`${OUTPUTS} ${jobs.custom} attack_id=${String(broken?.attack_id)}`);
    expect(outputs).toHaveLength(3);
    for (const output of outputs) {
      expect(output).toMatchObject({
        job_id: jobs.custom,
        custom_attack_id: broken?.attack_id,
        threat: expect.any(Boolean),
        marked_safe: false,
        output: expect.any(String),
      });
    }
    expect(outputs.some(({ threat }) => threat === true)).toBe(true);
  });
});

describe('property statistics', () => {
  requirement('custom-attack-property-statistics', 'count the attacks of each value, with their rate', async () => {
    const room = warRoom();
    const { writes, readable } = await room.run(`${STATS} ${jobs.custom}`);
    expect(writes[0]?.value).toMatchObject([
      {
        property_name: 'region',
        values: [
          { value: 'europe', successful_attack_count: 1, total_attack_count: 3, success_rate: 33.33 },
          { value: 'americas', successful_attack_count: 1, total_attack_count: 2, success_rate: 50 },
        ],
      },
      { property_name: 'customer tier' },
    ]);
    expect(readable.tables[0]?.rows[0]).toEqual(['region', 'europe: 1 of 3 (33.33 %)\namericas: 1 of 2 (50 %)']);
    expect(asked(room.requests.at(-1) as HttpRequest).request).toMatch(/\/property-stats$/);
  });

  requirement(
    'custom-attack-property-statistics-filled',
    'are empty, with a note, for a scan whose prompts have no properties',
    async () => {
      const room = warRoom();
      const line = `!aisec-redteam-scan-create name=plain target_uuid=${RED_TEAM_IDS.targets.hrAssistant} job_type=CUSTOM`;
      const { uuid } = await room.value(`${line} custom_prompt_sets=${promptSets.brandVoice} wait=true`);
      const { writes, readable } = await room.run(`${STATS} ${String(uuid)}`);
      expectNone(writes, 'writes to the context');
      expect(markdown(readable)).toContain('The scan recorded no values of properties.');
    },
  );
});

test('every address is below the data plane', async () => {
  const room = answeringWith([]);
  await room.run(`${STATS} ${JOB}`);
  expect(room.requests[0]?.url.startsWith(`${DATA}/custom-attacks/`)).toBe(true);
});
