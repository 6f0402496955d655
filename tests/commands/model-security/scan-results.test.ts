import { MODEL_SEED_IDS } from '../../../fixtures/service/model-security/seed.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { idOf } from '../goldens.ts';
import { EVALUATIONS, FILES, type Fields, HUB, scanned, VIOLATIONS } from './rooms.ts';

const ID = idOf('model');

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
  test('show the remediation of the service once for each rule', async () => {
    const { readable } = await warRoom().run(`${VIOLATIONS} uuid=${scans.chat}`);
    expect(readable.notes).toHaveLength(5);
    expect(readable.notes[0]).toMatch(/^No code on load: Do not load the file\. .*load-time-code$/);
  });
});

describe('evaluations', () => {});

describe('scanned files', () => {
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
