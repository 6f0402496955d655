import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import type { HttpRequest } from '../../../lib/core/ports.ts';
import { markdown } from '../../../lib/runtime/output/markdown.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, answeringWith, tableOf } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { answerOf, goldenFor, idOf, recordOf } from '../goldens.ts';

const PROMPT = idOf('prompt');
const SET = idOf('set');
const JOB = idOf('job');
const row = recordOf(goldenFor('redteam-custom-attack-report-prompts').value);
const set = recordOf(answerOf('redteam-custom-attack-report-get')['custom_attack_reports']);

const { jobs, promptSets } = RED_TEAM_IDS;

const REPORT = '!aisec-redteam-custom-attack-report-get';
const SETS = '!aisec-redteam-custom-attack-report-prompt-sets';
const PROMPTS = '!aisec-redteam-custom-attack-report-prompts';
const PROMPT_GET = '!aisec-redteam-custom-attack-report-prompt-get';
const ATTACKS = '!aisec-redteam-custom-attacks-list';
const STATS = '!aisec-redteam-custom-attack-property-stats';

const attacksOf = (value: unknown): Record<string, unknown>[] => Object(value).attacks;

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
    'a list with "$args" has $count prompts or attacks from position $from, at most a hundred per request',
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
});

describe('the report of custom attacks', () => {
  test('the report has tables by prompt set and by property', async () => {
    const answer = { ...set, custom_attack_reports: [set], property_statistics: set.property_statistics };
    const result = await answeringWith(answer).run(`${REPORT} ${JOB}`);
    expect(tableOf(result, 'By Prompt Set')?.rows).toEqual([['refunds', '5', '5', '2', '3', '40', SET]]);
    expect(tableOf(result, 'By Property')?.rows).toEqual([['region', 'europe', '1', '3', '33.33']]);
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
  test('the table has a row for each attack', async () => {
    const result = await warRoom().run(`${ATTACKS} ${jobs.custom} limit=3`);
    expect(tableOf(result, 'Attacks')?.rows).toHaveLength(3);
  });
});

describe('property statistics', () => {
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
