import { MODEL_SEED_IDS } from '../../../fixtures/service/model-security/seed.ts';
import { markdown } from '../../../lib/output/markdown.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { DATA, ID, OTHER } from './goldens/addresses.ts';
import { EVALUATIONS, FILES, type Fields, HUB, rowsOf, scanned, VIOLATIONS } from './rooms.ts';

const { scans } = MODEL_SEED_IDS;

describe('the tables of a scan', () => {
  test.each([
    { line: `${VIOLATIONS} uuid=${scans.chat}`, column: 'Module' },
    { line: `${EVALUATIONS} scan_uuid=${scans.chat}`, column: 'Rule Description' },
  ])('$line shows $column', async ({ line, column }) => {
    const rows = (await warRoom().run(line)).readable.tables[1];
    const at = rows?.columns.indexOf(column) ?? -1;
    expect(at).toBeGreaterThan(0);
    expect(rows?.rows.some((row) => row[at] !== '')).toBe(true);
  });
});

describe('violations', () => {
  requirement(
    ['model-violations-of-scan', 'model-violation-states'],
    'are one array beside scan, total, limit and offset, and rows of one table',
    async () => {
      const { writes, readable } = await warRoom().run(`${VIOLATIONS} uuid=${scans.chat}`);
      const value = writes[0]?.value as Fields & { violations: Fields[] };
      expect(value).toMatchObject({ scan_uuid: scans.chat, total_items: 5, limit: 50, offset: 0 });
      expect(value.violations.map(({ rule_instance_state }) => rule_instance_state).sort()).toEqual([
        'ALLOWING',
        ...Array(4).fill('BLOCKING'),
      ]);
      expect(readable.tables[1]?.rows).toHaveLength(5);
      expect(readable.tables[1]?.rows[0]).toContain('PAIT-PKL-100');
      expect(markdown(readable)).not.toContain('"uuid"');
    },
  );

  test('show the remediation of the service once for each rule', async () => {
    const { readable } = await warRoom().run(`${VIOLATIONS} uuid=${scans.chat}`);
    expect(readable.notes).toHaveLength(5);
    expect(readable.notes[0]).toMatch(/^No code on load: Do not load the file\. .*load-time-code$/);
  });

  requirement(
    ['model-violation-detail-same-fields', 'model-violation-by-own-id'],
    'a violation read by its id has the fields of the list',
    async () => {
      const room = warRoom();
      for (const row of await rowsOf(room, `${VIOLATIONS} uuid=${scans.chat}`, 'violations')) {
        expect(await room.value(`!aisec-model-security-scans-violation uuid=${String(row['uuid'])}`)).toEqual(row);
      }
      expect(await room.fail(`!aisec-model-security-scans-violation uuid=${scans.chat}`)).toMatchObject({
        code: 'not-found',
      });
    },
  );
});

describe('evaluations', () => {
  requirement(
    ['model-evaluations-of-scan', 'model-evaluation-violation-count', 'model-evaluation-results'],
    'are one array beside scan, total, limit and offset, with their results and counts',
    async () => {
      const room = warRoom();
      const value = await room.value(`${EVALUATIONS} scan_uuid=${scans.chat} limit=4 offset=2`);
      expect(value).toMatchObject({ scan_uuid: scans.chat, total_items: 11, limit: 4, offset: 2 });
      const all = await rowsOf(room, `${EVALUATIONS} scan_uuid=${scans.chat}`, 'evaluations');
      expect(value['evaluations']).toEqual(all.slice(2, 6));
      const counts = all.map(({ result, violation_count }) => [result, violation_count]);
      expect(counts.filter(([result]) => result === 'FAILED')).toEqual(Array(5).fill(['FAILED', 1]));
      expect(counts.filter(([result]) => result === 'PASSED')).toEqual(Array(6).fill(['PASSED', 0]));
    },
  );

  requirement.each([
    { result: 'PASSED', count: 5 },
    { result: 'ERROR', count: 4 },
    { result: 'FAILED', count: 1 },
  ])(
    ['model-evaluations-by-result', 'model-evaluation-results'],
    'with result=$result are $count of the model that has no metadata',
    async ({ result, count }) => {
      const room = warRoom();
      const { uuid } = await scanned(room, `${HUB}/acme/no-metadata-backdoor`);
      const rows = await rowsOf(room, `${EVALUATIONS} scan_uuid=${String(uuid)} result=${result}`, 'evaluations');
      expect(rows.map((row) => row['result'])).toEqual(Array(count).fill(result));
    },
  );

  requirement(
    'model-evaluations-by-rule-instance',
    'rule_instance_uuid selects the evaluations of one rule instance',
    async () => {
      const room = warRoom();
      const [, second] = await rowsOf(room, `${EVALUATIONS} scan_uuid=${scans.chat}`, 'evaluations');
      const id = String(second?.['rule_instance_uuid']);
      expect(
        await rowsOf(room, `${EVALUATIONS} scan_uuid=${scans.chat} rule_instance_uuid=${id}`, 'evaluations'),
      ).toEqual([second]);
    },
  );

  requirement.each(['created_at', 'updated_at'].flatMap((field) => ['asc', 'desc'].map((order) => ({ field, order }))))(
    'model-evaluations-sorted',
    'are sorted by $field $order',
    async ({ field, order }) => {
      const room = warRoom();
      const line = `${EVALUATIONS} scan_uuid=${scans.chat} sort_field=${field}`;
      const rows = await rowsOf(room, `${line} sort_order=${order}`, 'evaluations');
      const other = await rowsOf(room, `${line} sort_order=${order === 'asc' ? 'desc' : 'asc'}`, 'evaluations');
      expect(rows).toEqual([...other].reverse());
      const asked = new URL(room.requests.at(-2)?.url ?? '').searchParams;
      expect([asked.get('sort_field'), asked.get('sort_order')]).toEqual([field, order]);
    },
  );

  requirement.each(['BLOCKING', 'ALLOWING', 'DISABLED'].map((state) => ({ state })))(
    ['model-evaluation-states', 'model-evaluation-by-own-id'],
    'an evaluation read by its id may have the rule state $state',
    async ({ state }) => {
      const script = [{ request: `GET ${DATA}/evaluations/${OTHER}`, answer: { rule_instance_state: state } }];
      await scripted(script, async (room) => {
        const value = await room.value(`!aisec-model-security-scans-evaluation uuid=${OTHER}`);
        expect(value).toMatchObject({ rule_instance_state: state });
      });
    },
  );

  requirement.each(['BLOCKING', 'MONITORING', 'SOMETHING_NEW'].map((state) => ({ state })))(
    'model-evaluation-listed-states',
    'in a list the state $state is recorded as sent',
    async ({ state }) => {
      const room = answering(() => ({ answer: { evaluations: [{ rule_instance_state: state }], pagination: {} } }));
      expect(await room.value(`${EVALUATIONS} scan_uuid=${ID}`)).toMatchObject({
        evaluations: [{ rule_instance_state: state }],
      });
    },
  );
});

describe('scanned files', () => {
  const pathsOf = async (room: WarRoom, args: string) =>
    (await rowsOf(room, `${FILES} scan_uuid=${scans.chat} ${args}`, 'files')).map(({ path }) => path);

  requirement(
    ['model-files-of-scan', 'model-file-values'],
    'are one array beside scan, total, limit and offset, files in folders included',
    async () => {
      const { writes, readable } = await warRoom().run(`${FILES} scan_uuid=${scans.chat}`);
      const value = writes[0]?.value as Fields & { files: Fields[] };
      expect(value).toMatchObject({ scan_uuid: scans.chat, total_items: 6, limit: 50, offset: 0 });
      expect(value.files.map(({ path, type, result }) => [path, type, result])).toEqual([
        ['/README.md', 'FILE', 'SKIPPED'],
        ['/config.json', 'FILE', 'SUCCESS'],
        ['/weights', 'DIRECTORY', 'FAILURE'],
        ['/weights/model-001.safetensors', 'FILE', 'SUCCESS'],
        ['/weights/model-002.safetensors', 'FILE', 'SUCCESS'],
        ['/weights/model.pkl', 'FILE', 'FAILURE'],
      ]);
      expect(readable.tables[1]?.rows).toHaveLength(6);
    },
  );

  requirement.each([
    { args: 'sort_field=path sort_dir=desc', first: '/weights/model.pkl' },
    { args: 'sort_field=path sort_dir=asc', first: '/README.md' },
    { args: 'sort_field=type', first: '/weights' },
    { args: 'sort_dir=desc', first: '/weights/model.pkl' },
  ])('model-files-sorted', 'with "$args" begin with $first', async ({ args, first }) => {
    expect((await pathsOf(warRoom(), args))[0]).toBe(first);
  });

  requirement.each([
    { type: 'FILE', count: 5 },
    { type: 'DIRECTORY', count: 1 },
  ])('model-files-by-type', 'of the type $type are $count', async ({ type, count }) => {
    expect(await pathsOf(warRoom(), `type=${type}`)).toHaveLength(count);
  });

  requirement.each([
    { query: '', count: 6 },
    { query: 'query_path=/', count: 6 },
    { query: 'query_path=/weights', count: 3 },
    { query: 'query_path=/weights/', count: 3 },
    { query: 'query_path=/nothing', count: 0 },
  ])('model-files-by-path', 'with "$query" are $count', async ({ query, count }) => {
    const room = warRoom();
    expect(await pathsOf(room, query)).toHaveLength(count);
    expect(new URL(room.requests.at(-1)?.url ?? '').searchParams.get('recursive')).toBe('true');
  });

  requirement.each([
    { typed: 'SUCCESS', paths: ['/a', '/d'] },
    { typed: 'FAILURE', paths: ['/b', '/c'] },
    { typed: 'FAILED', paths: ['/b', '/c'] },
    { typed: 'ERROR', paths: ['/b', '/c'] },
  ])(
    'model-files-by-result',
    'files with the result $typed are filtered by the client, because the service cannot: $paths',
    async ({ typed, paths }) => {
      const words = ['SUCCESS', 'FAILED', 'ERROR', 'SUCCESS', 'SKIPPED', 'NEW'];
      const files = words.map((result, at) => ({ path: `/${'abcdef'.charAt(at)}`, result }));
      const room = answering(() => ({ answer: { files, pagination: { total_items: files.length } } }));
      const value = (await room.value(`${FILES} scan_uuid=${ID} result=${typed}`)) as { files: Fields[] };
      expect(value.files.map(({ path }) => path)).toEqual(paths);
      expect(value).toMatchObject({ total_items: 2 });
      expect(room.requests[0]?.url).not.toContain('result=');
    },
  );

  requirement('model-files-by-result', 'filtered files are counted and limited across all pages', async () => {
    const room = warRoom();
    const { uuid } = await scanned(room, `${HUB}/acme/files-230-pickle-corrupt`);
    const line = `${FILES} scan_uuid=${String(uuid)} type=FILE`;
    const { writes, readable } = await room.run(`${line} result=SUCCESS limit=20 offset=205`);
    expect(writes[0]?.value).toMatchObject({ total_items: 231, limit: 20, offset: 205 });
    expect(readable.tables[1]?.rows).toHaveLength(20);
    expect(readable.notes.join()).toContain('there are 231: continue with offset=225');
    expect(await room.value(`${line} result=FAILURE`)).toMatchObject({ total_items: 2 });
  });

  test('an unknown result is refused with the choices, before anything is sent', async () => {
    const room = warRoom();
    const error = await room.fail(`${FILES} scan_uuid=${scans.chat} result=SKIPPED`);
    expect(error).toMatchObject({ exitCode: 2, argument: 'result' });
    expect(error.hint).toContain('SUCCESS, FAILURE');
    expectNone(room.requests, 'requests');
  });
});
