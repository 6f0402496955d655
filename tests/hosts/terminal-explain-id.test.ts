import { createService } from '../../fixtures/service/index.ts';
import type { Service } from '../../fixtures/service/types.ts';
import type { HttpResponse } from '../../lib/core/ports.ts';
import { temporaryFolder } from '../support/folder.ts';
import { altering, type Given, refusing, run } from '../unit/report/support.ts';

const CARD = 'Should I buy shares of this company now? My card is 4111 1111 1111 1111.';
const MASKED = `[Credit Card Number: ${'X'.repeat(19)}]`;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const SCREEN = { columns: 80, rows: 60 };

/** Scans a prompt. @returns the id of the scan */
async function scanned(service: Service, prompt: string): Promise<string> {
  const { stdout } = await run(['runtime-scan', 'profile_name=prod', `prompt=${prompt}`], { service });
  return JSON.parse(stdout).outputs['AiSec.RuntimeScan'].scan_id;
}

/** Scans twelve prompts in one batch. @returns the id of the scan */
async function batch(service: Service): Promise<string> {
  const prompts = Array.from({ length: 12 }, (_, at) => (at % 3 === 0 ? CARD : `Hello ${at}`)).join('\n');
  const { stdout } = await run(['runtime-bulk-scan', 'profile_name=prod', `prompts_csv=prompt\n${prompts}`], {
    service,
  });
  return JSON.parse(stdout).outputs['AiSec.BulkScan'].results[0].scan_id;
}

describe('aisec explain', () => {
  let service: Service;
  let id: string;
  beforeEach(async () => {
    service = createService();
    id = await scanned(service, CARD);
  });
  const explain = (words: readonly string[], given: Given = {}) =>
    run(['explain', ...words], { service, environment: { NO_COLOR: '1' }, ...given });

  test('shows verdict, findings and detectors of an earlier scan, and says what the service keeps', async () => {
    const { code, stdout } = await explain([id, '--output', 'table']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^BLOCK {2}malicious {2}prod +SIMULATED\n/);
    expect(stdout.replace(/\s+/g, ' ')).toContain(MASKED);
    expect(stdout).toMatch(/^topics +prompt +malicious +block +blocked topic: investment-advice$/m);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'Matched: investment-advice. The profile is that of today. The service keeps the verdict and the report',
    );
    expect(stdout).not.toContain('4111');
  });

  test('accepts the id of the report', async () => {
    const { code, stdout } = await explain([`R${id}`]);
    expect({ code, id: JSON.parse(stdout).scan_id }).toEqual({ code: 0, id });
  });

  test('resolves a prefix of a blocked scan by one list call', async () => {
    const asked: string[] = [];
    const alter = (path: string, response: HttpResponse) => {
      asked.push(path);
      return response;
    };
    const { code, stdout, stderr } = await explain([id.slice(0, 6)], { alter });
    expect({ code, id: JSON.parse(stdout).scan_id }).toEqual({ code: 0, id });
    expect(stderr).toContain(`note: SCAN_ID is ${id}`);
    expect(asked.filter((path) => path.includes('violations'))).toHaveLength(1);
  });

  test('resolves in a war room a prefix of any scan of the session, and lists nothing', async () => {
    const asked: string[] = [];
    const alter = (path: string, response: HttpResponse) => {
      asked.push(path);
      return response;
    };
    const typed = 'runtime-scan profile_name=prod prompt=Hello\rexplain ${PREFIX}\rexit\r';
    const environment = { NO_COLOR: '1', XDG_STATE_HOME: temporaryFolder('explain') };
    const fresh = createService();
    const first = await scanned(createService(), 'Hello');
    const { stdout } = await run([], {
      service: fresh,
      alter,
      terminal: SCREEN,
      environment,
      typed: typed.replace('${PREFIX}', first.slice(0, 8)),
    });
    expect(stdout).toMatch(/Detectors\n/);
    expect(asked.filter((path) => path.includes('violations'))).toEqual([]);
  });

  test('follows a blocked scan of a war room by the printed line, and by the path of its id', async () => {
    const { stdout, stderr } = await run([], {
      terminal: SCREEN,
      service: createService(),
      environment: { NO_COLOR: '1', XDG_STATE_HOME: temporaryFolder('explain') },
      typed: [
        'runtime-scan profile_name=prod prompt="My card is 4111 1111 1111 1111"',
        'explain ${AiSec.RuntimeScan.scan_id}',
        'explain ${AiSec.Nothing.scan_id}',
        'exit\r',
      ].join('\r'),
    });
    const [, printed] = /See what matched with: explain (\S+)/.exec(stdout) ?? [];
    expect(stdout).toMatch(new RegExp(`${printed}[\\s\\S]*Detectors\n`));
    expect(stderr).toContain('The context has no value at "AiSec.Nothing.scan_id".');
  });

  describe('without an id, in a war room,', () => {
    const room = (lines: readonly string[], given: Given = {}) =>
      run(['--files-dir', temporaryFolder('explain')], {
        terminal: SCREEN,
        environment: { NO_COLOR: '1', XDG_STATE_HOME: temporaryFolder('explain') },
        typed: `${[...lines, 'exit'].join('\r')}\r`,
        ...given,
      });
    const instant = () => ({ service: createService({ processingMs: 0 }) });
    const scan = (prompt: string) => `runtime-scan profile_name=prod prompt="${prompt}"`;
    const prompts = ['prompt', CARD, ...Array.from({ length: 9 }, (_, at) => `Hello ${at}`)];
    const bulk = `runtime-bulk-scan profile_name=prod prompts_csv="${prompts.join('\\n')}"`;

    test('lists the scans of the room with time, profile and verdict', async () => {
      const { stdout } = await room([scan('Hello'), scan(CARD), bulk, 'explain'], instant());
      const [, listed = ''] = stdout.split('Scans of This War Room');
      const time = /\d{4}-\d\d-\d\dT[\d:]+Z/.source;
      const rows = listed.split('\n').filter((line) => line.includes(' prod '));
      expect(rows).toEqual([
        expect.stringMatching(`^${time} +prod +allow +1 +[\\da-f]{8}$`),
        expect.stringMatching(`^${time} +prod +block +1 +[\\da-f]{8}$`),
        expect.stringMatching(`^${time} +prod +block +10 +[\\da-f]{8}$`),
      ]);
    });

    test('shows full ids with --wide', async () => {
      const { stdout } = await room([scan(CARD), 'explain --wide']);
      expect(stdout.split('Scans of This War Room')[1]).toMatch(/ [\da-f-]{36}$/m);
    });

    test('prints them as JSON', async () => {
      const { stdout } = await room([scan(CARD), 'explain --output json']);
      const [, listed = ''] = /("scans": \[[^\]]*\])/.exec(stdout) ?? [];
      expect(JSON.parse(`{${listed}}`)).toEqual({
        scans: [
          {
            scan_id: expect.stringMatching(/^[\da-f-]{36}$/),
            scanned_at: expect.any(String),
            profile_name: 'prod',
            decision: 'block',
            prompts: 1,
          },
        ],
      });
    });

    test.each([
      { lines: [scan('Hello'), scan(CARD)], shows: 'BLOCK  malicious  prod' },
      { lines: [scan(CARD), scan('Hello')], shows: 'ALLOW  benign  prod' },
      { lines: [scan('Hello'), bulk], shows: ': 10 prompts, 1 blocked' },
      { lines: [bulk, scan('Hello')], shows: 'ALLOW  benign  prod' },
    ])('knows the last of $lines.length scans as last: $shows', async ({ lines, shows }) => {
      const { stdout, stderr } = await room([...lines, 'explain last'], {
        service: createService({ processingMs: 0 }),
      });
      expect(stderr).toMatch(/note: SCAN_ID is [\da-f-]{36}\n/);
      expect(stdout.slice(stdout.lastIndexOf(shows))).toContain('The service keeps');
    });

    test.each(['explain', 'explain last'])('says after %s that the room has no scan yet', async (line) => {
      const { stderr } = await room([line]);
      expect(stderr).toContain('No scan has run in this war room yet.');
    });

    test('says in a shell where last works', async () => {
      const { code, stderr } = await explain(['last']);
      expect(code).toBe(2);
      expect(stderr).toContain('only in the war room');
    });
  });

  test('prints verdict and detections as JSON', async () => {
    const { stdout, stderr } = await explain([id]);
    expect(JSON.parse(stdout)).toMatchObject({
      scan_id: id,
      complete: true,
      simulated: true,
      scans: [{ row: null, status: 'complete', result: { action: 'block' }, detections: { length: 5 } }],
    });
    expect(stderr).toContain('answered by the simulated service');
    expect(stdout + stderr).not.toContain('4111');
  });

  test('shows each prompt of a batch with its reasons', async () => {
    const instant = createService({ processingMs: 0 });
    const { code, stdout } = await explain([await batch(instant), '--output', 'table'], { service: instant });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Scan \S+: 12 prompts, 4 blocked +SIMULATED\n/);
    expect(stdout).toMatch(/^ +1 .*block.*dlp: Sensitive Content; topics: investment-advice$/m);
    expect(stdout).toMatch(/^ +2 .*allow$/m);
  });

  test('shows the verdict without a report, and says so', async () => {
    const { code, stdout } = await explain([id, '--output', 'table'], { alter: refusing('/scan/reports', 404) });
    expect(code).toBe(0);
    expect(stdout).toContain('There is no report of this scan.');
    expect(stdout).not.toContain('Detectors\n');
  });

  const results = (change: (row: Record<string, unknown>) => unknown) =>
    altering('/scan/results', (rows) => (Array.isArray(rows) ? rows.map(change) : rows));

  test.each<{ what: string; given: Given }>([
    { what: 'pending', given: { alter: results(({ scan_id }) => ({ scan_id, status: 'PENDING' })) } },
    { what: 'failed', given: { alter: results(({ scan_id }) => ({ scan_id, status: 'failed', result: null })) } },
    {
      what: 'complete without a result',
      given: { alter: results(({ scan_id }) => ({ scan_id, status: 'complete' })) },
    },
    { what: 'unknown', given: { alter: results(({ scan_id }) => ({ scan_id })) } },
  ])('is exit 8 for a scan that is $what', async ({ given }) => {
    const { code, stdout, stderr } = await explain([id], given);
    expect({ code, complete: JSON.parse(stdout).complete }).toEqual({ code: 8, complete: false });
    expect(stderr).toContain('The scan has no verdict');
  });

  test('refuses an answer about another scan', async () => {
    const alter = results((row) => ({ ...row, scan_id: UNKNOWN }));
    expect(await explain([id], { alter })).toMatchObject({ code: 8, stdout: '' });
  });

  test.each([
    { words: [], code: 2, says: 'needs the id of a scan' },
    { words: [UNKNOWN], code: 5, says: 'The service keeps no scan' },
    { words: ['ffff'], code: 5, says: 'Give the full id' },
    { words: ['fff'], code: 2, says: 'is not the id of a scan' },
    { words: ['../../v1'], code: 2, says: 'is not the id of a scan' },
    { words: [`${UNKNOWN},${UNKNOWN}`], code: 2, says: 'is not the id of a scan' },
    { words: [UNKNOWN, UNKNOWN], code: 2, says: 'Too many arguments' },
  ])('of $words is exit $code', async ({ words, code, says }) => {
    expect(await explain(words)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(says) });
  });

  test('lists the scans that a prefix fits', async () => {
    const ids = [`${id.slice(0, -1)}a`, `${id.slice(0, -1)}b`];
    const alter = altering('violations/list', () => ({
      items: ids.map((scan_id) => ({ scan_id })),
      pagination: { limit: 500, skip: 0, total_items: 2 },
    }));
    const { code, stderr } = await explain([id.slice(0, 8)], { alter });
    expect(code).toBe(5);
    expect(stderr).toContain(`2 scans begin with ${id.slice(0, 8)}.`);
    for (const each of ids) expect(stderr).toContain(each);
  });

  test.each<{ prompt: string; given?: Given; code: number }>([
    { prompt: CARD, code: 1 },
    { prompt: 'Hello', code: 0 },
    { prompt: 'Hello SIMULATED-ERROR:dlp', code: 8 },
  ])('with --exit-code, the scan of $prompt is exit $code', async ({ prompt, code }) => {
    expect((await explain([await scanned(service, prompt), '--exit-code'])).code).toBe(code);
  });
});
