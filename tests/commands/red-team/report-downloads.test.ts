import { registry } from '../../../commands/index.ts';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import type { Transport } from '../../../lib/core/ports.ts';
import { type PlatformAnswer, runOnPlatform } from '../../../lib/hosts/platform/main.ts';
import type { PlatformHttp } from '../../../lib/runtime/transport/platform.ts';
import { requirement } from '../../contract/claims.ts';
import { unzipped } from '../../support/archive.ts';
import { answeringWith, tableOf } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { idOf } from '../goldens.ts';

const JOB = idOf('job');

const { jobs } = RED_TEAM_IDS;

const REPORT = '!aisec-redteam-report-get';
const DOWNLOAD = '!aisec-redteam-report-download';
const PARTIAL = '!aisec-redteam-report-generate-partial';

describe('downloading a report', () => {
  const filesIn = (room: WarRoom) => unzipped(Object.values(room.downloads)[0] ?? new Uint8Array());

  requirement(
    'report-download-contents',
    'the archive has a summary with the scorecard, and a row for each attack',
    async () => {
      const room = warRoom();
      await room.run(`${DOWNLOAD} ${jobs.static} file_format=ALL`);
      const files = filesIn(room);
      expect(JSON.parse(files.get('attacks.json') ?? '')).toHaveLength(48);
      expect(files.get('attacks.csv')?.trim().split('\n').length).toBeGreaterThan(48);
      const { score, asr } = await room.value(`${REPORT} ${jobs.static}`);
      for (const number of [score, asr]) {
        expect(files.get('report_summary.json')).toContain(String(number));
        expect(files.get('report_summary.csv')).toContain(String(number));
      }
    },
  );

  requirement.each([
    { args: '', sent: 'CSV', files: ['report_summary.csv', 'attacks.csv'] },
    {
      args: 'file_format=JSON',
      sent: 'JSON',
      files: ['report_summary.json', 'attacks.json'],
    },
    {
      args: 'file_format=ALL',
      sent: 'ALL',
      files: ['attacks.csv', 'attacks.json', 'report_summary.csv', 'report_summary.json'],
    },
  ])(
    ['report-download-formats', 'report-download-csv', 'report-download-json', 'report-download-all'],
    '"$args" requests $sent and saves an archive with $files',
    async ({ args, sent, files }) => {
      const room = warRoom();
      await room.run(`${DOWNLOAD} ${jobs.static} ${args}`);
      expect(new URL(room.requests.at(-1)?.url ?? '').searchParams.get('file_format')).toBe(sent);
      expect(room.requests.at(-1)?.headers.accept).toBe('*/*');
      expect([...filesIn(room).keys()].sort()).toEqual([...files].sort());
    },
  );

  requirement('report-download-is-a-file', 'the file is in InfoFile, with name, entry, size and type', async () => {
    const room = warRoom();
    const { writes, files } = await room.run(`${DOWNLOAD} ${jobs.static}`);
    const name = `report_${jobs.static}_csv.zip`;
    const size = room.downloads[name]?.length;
    expect(writes).toStrictEqual([
      {
        path: 'InfoFile',
        key: ['EntryID'],
        value: {
          Name: name,
          EntryID: `kept/${name}`,
          Size: size,
          Type: 'application/zip',
          Extension: 'zip',
          Info: 'application/zip',
        },
      },
    ]);
    expect(files).toEqual([{ entry: `kept/${name}`, name, size, contentType: 'application/zip' }]);
  });

  scenario('zip-report', 'the archive is saved byte for byte, and never opened', async () => {
    const bytes = Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0, 0x0d, 0x0a, 0x80, 0xc3, 0x28]);
    const kept: Buffer[] = [];
    const transport: Transport = {
      send: async ({ url, download = '' }) => {
        if (!url.includes('/download')) return { status: 200, headers: {}, body: '{"access_token": "t"}' };
        kept.push(bytes);
        const file = { entry: download, name: download, size: bytes.length, contentType: 'text/html; charset=x' };
        return { status: 200, headers: {}, body: '', file };
      },
    };
    const { writes, readable, raw } = await answeringWith().run(`${DOWNLOAD} ${JOB}`, { transport });
    expect(kept).toEqual([bytes]);
    expect(writes[0]?.value).toMatchObject({ Name: `report_${JOB}_csv.zip`, Size: 11 });
    expect(raw).toEqual(expect.objectContaining({ size: 11 }));
    expect(readable.notes).toEqual([
      'The service declares the file as text/html; charset=x: it may not be a ZIP archive.',
    ]);
  });

  requirement(
    'report-download-is-a-file',
    'the platform writes InfoFile itself, from the entry of the file',
    async () => {
      const http: PlatformHttp = (_url, { SaveToFile }) =>
        SaveToFile === true
          ? { StatusCode: 200, Path: 'file-1', Headers: { 'Content-Type': ['application/zip'] } }
          : { StatusCode: 200, Body: '{"access_token": "t", "expires_in": 900}' };
      const params = {
        url: 'https://management.example.com',
        credentials: { identifier: 'client', password: 'client-secret' },
        tsg_id: '0012003400',
      };
      const command = DOWNLOAD.slice(1);
      const answer: PlatformAnswer = await runOnPlatform({ params, args: { job_id: JOB }, command, http }, registry);
      expect(answer).toMatchObject([
        { Type: 1, EntryContext: {} },
        { Type: 9, FileID: 'file-1', File: `report_${JOB}_csv.zip` },
      ]);
      expect(JSON.stringify(answer)).not.toContain('InfoFile');
    },
  );
});

describe('partial reports', () => {
  requirement(
    ['partial-report-unlocks', 'partial-report-takes-credit', 'partial-report-statistics'],
    'unlocking costs one credit each time',
    async () => {
      const room = warRoom();
      const consumed = async () => Number(Object(await room.value('!aisec-redteam-metering-quota')).static.consumed);
      const before = await consumed();
      const unlocked = await room.value(`${PARTIAL} ${jobs.partial}`);
      expect(unlocked).toEqual({
        job_id: jobs.partial,
        status: 'PARTIALLY_COMPLETE',
        report_stats: {
          partial_report_unlocked: true,
          partial_report_unlocked_at: '2026-11-21T12:00:00Z',
          output_completion_percentage: 58.33,
        },
      });
      expect(await room.value(`${REPORT} ${jobs.partial}`)).toMatchObject({ total_attacks: expect.any(Number) });
      expect(await consumed()).toBe(before + 1);
      await room.run(`${PARTIAL} ${jobs.partial}`);
      expect(await consumed()).toBe(before + 2);
    },
  );

  scenario.each([
    { what: 'the present service', room: () => warRoom({ faults: ['known'] }) },
    { what: 'a service that says why', room: () => warRoom() },
  ])('known-fault', 'the error of $what says which scan status is needed, and what to do', async ({ room: open }) => {
    const room = open();
    const error = await room.fail(`${PARTIAL} ${jobs.static}`);
    expect(error.hint).toContain('PARTIALLY_COMPLETE');
    expect(error.hint).toContain('!aisec-redteam-scan-get');
    expect(room.requests.filter(({ url }) => url.includes('generate-partial'))).toHaveLength(1);
  });

  test('a dry run shows the cost and the obstacles, and unlocks nothing', async () => {
    const room = warRoom();
    const first = await room.run(`${PARTIAL} ${jobs.partial}`, { dryRun: true });
    expect(tableOf(first, 'Quota')?.rows).toEqual([['STATIC', '50', '12', '13']]);
    expect(first.readable.notes.join()).not.toMatch(/HTTP 500|already/);
    expect(await room.fail(`${REPORT} ${jobs.partial}`)).toMatchObject({ status: 403 });
    const wrong = await room.run(`${PARTIAL} ${jobs.dynamic}`, { dryRun: true });
    expect(wrong.readable.notes.join()).toContain('The scan is COMPLETED: the service would answer with HTTP 500.');
    expect(tableOf(wrong, 'Quota')?.rows).toEqual([['DYNAMIC', '5', '2', '3']]);
    await room.run(`${PARTIAL} ${jobs.partial}`);
    const again = await room.run(`${PARTIAL} ${jobs.partial}`, { dryRun: true });
    expect(again.readable.notes.join()).toContain('already unlocked');
  });
});
