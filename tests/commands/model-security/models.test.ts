import { registry } from '../../../commands/index.ts';
import { MODEL_SEED_IDS } from '../../../fixtures/service/model-security/seed.ts';
import { resolveSettings } from '../../../lib/runtime/settings/settings.ts';
import { requirement } from '../../contract/claims.ts';
import { modelSecurity } from '../../contract/commands.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, ENVIRONMENT } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { idOf } from '../goldens.ts';
import { EVALUATIONS, FILES, type Fields, HUB, scanned, VIOLATIONS } from './rooms.ts';

describe('models', () => {
  const LIST = '!aisec-model-security-models-list';

  /** Runs a line. @returns the query of its request */
  async function queryOf(line: string): Promise<URLSearchParams> {
    const room = answering(() => ({ answer: { models: [], model_versions: [], pagination: { total_items: 0 } } }));
    await room.run(line);
    return new URL(room.requests[0]?.url ?? '').searchParams;
  }

  describe('times', () => {
    requirement.each([
      { typed: '2026-11-01T10:00:00+02:00', sent: '2026-11-01T08:00:00Z' },
      { typed: '2026-11-01', sent: '2026-11-01T00:00:00Z' },
      { typed: '"7 days ago"', sent: '2026-11-14T12:00:00Z' },
      { typed: 'now', sent: '2026-11-21T12:00:00Z' },
    ])(['model-list-start-time', 'model-list-end-time'], '$typed is sent as $sent', async ({ typed, sent }) => {
      expect((await queryOf(`${LIST} start_time=${typed}`)).get('start_time')).toBe(sent);
      const end = (await queryOf(`${LIST} end_time=${typed}`)).get('end_time');
      expect(end).toBe(typed === '2026-11-01' ? '2026-11-01T23:59:59.999999Z' : sent);
    });

    test.each(['yesterday', '2026-02-31'])('the time %s is refused before anything is sent', async (typed) => {
      for (const argument of ['start_time', 'end_time']) {
        const room = answering(() => ({ answer: {} }));
        const error = await room.fail(`${LIST} ${argument}="${typed}"`);
        expect(error).toMatchObject({ exitCode: 2, argument });
        expect(error.message).toContain(typed);
        expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
      }
    });
  });
});

describe('results of a scan', () => {
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
    test("show the service's remediation once for each rule", async () => {
      const { readable } = await warRoom().run(`${VIOLATIONS} uuid=${scans.chat}`);
      expect(readable.notes).toHaveLength(5);
      expect(readable.notes[0]).toMatch(/^No code on load: Do not load the file\. .*load-time-code$/);
    });
  });

  describe('scanned files', () => {
    requirement.each([
      { typed: 'SUCCESS', paths: ['/a', '/d'] },
      { typed: 'FAILURE', paths: ['/b', '/c'] },
      { typed: 'FAILED', paths: ['/b', '/c'] },
    ])(
      'model-files-by-result',
      'files with the result $typed are filtered by the client, because the service cannot filter them: $paths',
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
  });
});

describe('the family', () => {
  describe('the family', () => {
    requirement(
      'model-conventions-of-first-document',
      'model security has 28 commands under one context root',
      async () => {
        const declared = Object.keys(registry).filter((name) => name.startsWith('aisec-model-security-'));
        expect(declared.sort()).toEqual(modelSecurity.map(({ command }) => command).sort());
        expect(declared).toHaveLength(28);
        for (const { command, context } of modelSecurity) {
          expect((await registry[command]?.())?.output.record.path).toBe(context);
          expect(context).toMatch(/^AiSec\.ModelSecurity/);
        }
      },
    );

    requirement.each(
      ['AISEC_BASE_URL', 'AISEC_CLIENT_ID', 'AISEC_CLIENT_SECRET', 'AISEC_TSG_ID'].map((name) => ({ name })),
    )('model-connection-parameters', '$name is required, and the error names it', async ({ name }) => {
      const { [name]: left, ...environment } = { ...ENVIRONMENT } as Record<string, string>;
      const { settings } = resolveSettings({ environment });
      const blank = name === 'AISEC_BASE_URL' ? { ...settings, url: '' } : settings;
      const room = answering(() => ({ answer: { scans: [] } }));
      const error = await room.fail('!aisec-model-security-scans-list', { settings: blank });
      expect(error).toMatchObject({ code: 'configuration', exitCode: 3 });
      expect(error.message).toContain(name);
      expectNone(room.requests, 'requests');
    });

    requirement('model-connection-parameters', 'works with insecure=true and without a proxy', async () => {
      const { settings } = resolveSettings({ environment: ENVIRONMENT });
      expect([settings.insecure, settings.proxy]).toEqual([false, false]);
      const room = answering(() => ({ answer: { scans: [] } }));
      await room.run('!aisec-model-security-scans-list', { settings });
      expect(room.requests).toHaveLength(1);
    });
  });
});
