import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import { type JsonObject, objectOf, objectsOf } from '../../../lib/core/json.ts';
import { MAX_REPORTS } from '../../../lib/features/dashboard/collect.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { altering, byId, elementsOf, type Given, refusing, run, within } from '../report/support.ts';

const HOSTILE = '</style><script>alert(1)</script>" onload="x\u202e';
const MAX_BYTES = 80_000;

async function dashboard(given: Given = {}, more: readonly string[] = []) {
  const file = join(temporaryFolder('dashboard'), 'd.html');
  const result = await run(['dashboard', '--html', file, ...more], given);
  return { ...result, file, page: existsSync(file) ? readFileSync(file, 'utf8') : '' };
}

/** Changes the list of red-team scans. */
const scans = (change: (scans: readonly JsonObject[]) => readonly object[]) =>
  altering('/v1/scan', (body) => {
    if (!Array.isArray(objectOf(body)['data'])) return body;
    const data = change(objectsOf(objectOf(body)['data']));
    return { ...objectOf(body), data, pagination: { total_items: data.length } };
  });
const eachOf = (type: string, more: object) =>
  scans((all) => all.map((scan) => (scan['job_type'] === type ? { ...scan, ...more } : scan)));

describe('the page of a tenant', () => {
  test('has its sections in order, and is small and safe to open', async () => {
    const { code, page, file } = await dashboard();
    expect(code).toBe(0);
    const elements = elementsOf(page);
    expect(elements.filter(({ name }) => name === 'h1' || name === 'h2').map(({ text }) => text)).toEqual([
      'Tenant 1000000001',
      'What needs attention',
      'Attack success rate over time, in %',
      'Success rate by kind of attack, in the newest static scan of each target',
      'Red-team quota',
      'About this report',
    ]);
    expect(page.length).toBeLessThan(MAX_BYTES);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const policies = elements.map(({ attributes }) => attributes['http-equiv'] && attributes['content']);
    expect(policies.find(Boolean)).toMatch(/^default-src 'none'; style-src 'unsafe-inline';/);
    expect(page).toContain('SIMULATED');
    const names = new Set(elements.map(({ name }) => name));
    expect(['script', 'img', 'iframe', 'form'].filter((name) => names.has(name))).toEqual([]);
    expect(
      elements.flatMap(({ attributes }) => Object.keys(attributes)).filter((name) => /^on|^style$/.test(name)),
    ).toEqual([]);
    // Each rate has its interval, each attack type its counts.
    expect(within(byId(elements, 'rates'), 'li').map(({ text }) => text.slice(0, 60))).toEqual([
      expect.stringMatching(/^hr-assistantCustom, 1 scan62\.5 % 30\.6–86\.3 %/),
      expect.stringMatching(/^claims-agentDynamic, 1 scan43\.75 % 23\.1–66\.8 %/),
      expect.stringMatching(/^support-chatbotStatic, 2 scans27\.08 % 16\.6–41 %/),
    ]);
    expect(
      within(byId(elements, 'heat'), 'td')
        .map(({ text }) => text)
        .slice(0, 3),
    ).toEqual(['100 % 2/2', '0 % 0/2', '100 % 2/2']);
    expect(within(byId(elements, 'quota'), 'li').map(({ text }) => text)).toEqual([
      'Static scans 12 of 50',
      'Dynamic scans 2 of 5',
      'Custom scans 5, unlimited',
    ]);
  });

  test('cannot be taken over by a name of a target or a model', async () => {
    const rename = (body: unknown): unknown =>
      JSON.parse(
        JSON.stringify(body, (key, value: unknown) =>
          ['name', 'model_uri', 'display_name', 'api_key_name'].includes(key) && typeof value === 'string'
            ? HOSTILE
            : value,
        ),
      );
    const { code, page } = await dashboard({ alter: altering('/', rename) });
    expect(code).toBe(0);
    expect(elementsOf(page).some(({ name }) => name === 'script')).toBe(false);
    expect(page).not.toContain('\u202e');
    expect(page).toContain('&lt;/style&gt;');
  });

  test('reads a bounded number of reports, and says so', async () => {
    const asked: string[] = [];
    const forty = scans((all) => {
      const first = all.find(({ job_type, status }) => job_type === 'STATIC' && status === 'COMPLETED');
      const named = (at: number) => ({ target_id: `t${at}`, target: { uuid: `t${at}`, name: `target ${at}` } });
      return Array.from({ length: 40 }, (_, at) => ({ ...first, ...named(at) }));
    });
    const { page, code } = await dashboard({
      alter: (path, response, url) => {
        asked.push(path);
        return path.endsWith('/v1/scan') ? forty(path, response, url) : response;
      },
    });
    expect(code).toBe(0);
    expect(asked.filter((path) => path.includes('/report/'))).toHaveLength(MAX_REPORTS);
    expect(page).toContain(`cover ${MAX_REPORTS} of 40 targets with a static scan`);
    expect(page).toContain('Charts show 24 of 40 targets');
    expect(page.length).toBeLessThan(2 * MAX_BYTES);
  });
});

describe('a command of the page', () => {
  const linksOf = (page: string) =>
    within(byId(elementsOf(page), 'attention'), 'a').map(({ attributes, text }) => [attributes['href'], text]);

  test('is a link to the page of its scan if the folder has it, whatever the name of the file', async () => {
    const folder = temporaryFolder('linked');
    const write = (id: string, name: string) => run(['report', id, '--html', join(folder, name)]);
    await write('2c8f5e1b', 'monthly "a" #1?.html');
    await write('5e9a3c07', 'model.html');
    await write('e8165f2b', 'failed.html');
    writeFileSync(join(folder, 'other.html'), '<meta name="aisec-scan" content="not an id"/>');
    writeFileSync(join(folder, 'copy.txt'), readFileSync(join(folder, 'model.html')));
    mkdirSync(join(folder, 'folder.html'));
    const file = join(folder, 'dashboard.html');
    expect((await run(['dashboard', '--html', file])).code).toBe(0);
    expect(linksOf(readFileSync(file, 'utf8'))).toEqual([
      ['monthly%20%22a%22%20%231%3F.html', 'aisec report 2c8f5e1b-a7d0-4396-b4f8-e61d09c3a752 --open'],
      ['model.html', 'aisec report 5e9a3c07-d1b4-4f68-82c5-b7064e2f9d1a --open'],
      ['failed.html', 'aisec report e8165f2b-c7d0-493e-8ba1-42c9f60d7e35 --open'],
    ]);
  });

  test('is text without such a page', async () => {
    expect(linksOf((await dashboard()).page)).toEqual([]);
  });
});

describe('a part that cannot be read', () => {
  test.each([
    { what: 'the red-team scans', part: '/v1/scan', says: 'The red-team scans' },
    { what: 'the models', part: '/v1/scans', says: 'The model scans' },
    { what: 'the keys', part: '/v1/mgmt/apikey', says: 'The API keys' },
    { what: 'the quota', part: '/metering/quota', says: 'The red-team quota' },
  ])('makes the page incomplete and the exit code 10: $what', async ({ part, says }) => {
    const { code, page, stderr } = await dashboard({ alter: refusing(part, 403) });
    expect(code).toBe(10);
    expect(stderr).toContain(`Not everything could be read: ${says}`);
    expect(page).toContain('INCOMPLETE');
    expect(page).not.toContain('Nothing needs attention.');
  });

  test('leaves no page if no part can be read', async () => {
    const { code, page } = await dashboard({ alter: refusing('/v1/', 403) });
    expect([code, page]).toEqual([4, '']);
  });
});

const manyScans = scans((all) => {
  const [failed, done] = ['FAILED', 'COMPLETED'].map((status) => all.find((scan) => scan['status'] === status));
  return Array.from({ length: 40 }, (_, at) => ({
    ...(at % 2 === 0 ? failed : done),
    ...{ target_id: `t${at}`, target: { name: `t ${at}` } },
  }));
});

/** Makes the scan of six attacks the newest scan of its target. */
const narrowest = scans((all) =>
  all.map((scan) =>
    scan['uuid'] === '94e0b7d6-5f1a-4c83-8a2e-d7c35f9b0164' ? { ...scan, created_at: '2026-11-20T21:00:00Z' } : scan,
  ),
);

describe('the successful attacks on a target', () => {
  const attentionOf = async (given: Given) => {
    const { stdout } = await run(['dashboard', '--output', 'json'], given);
    return objectsOf(objectOf(JSON.parse(stdout))['attention']).map(({ subject, state }) => `${subject} ${state}`);
  };

  test('stay open after a scan that did not run them again', async () => {
    const attention = await attentionOf({ alter: narrowest });
    expect(attention).toContainEqual(
      expect.stringMatching(
        /^support-chatbot gave in to \d critical attacks, and \d high; later scans did not run these$/,
      ),
    );
    const tile = elementsOf((await dashboard({ alter: narrowest })).page)
      .map(({ text }) => text)
      .find((text) => text.startsWith('Critical attacks open'));
    expect(tile).toMatch(/[1-9] against 1 target/);
  });

  test.each([null, 140])('are unknown after a scan with the rate %s, so the page is incomplete', async (asr) => {
    const alter = eachOf('CUSTOM', { asr });
    const { code, page, stderr } = await dashboard({ alter });
    expect([code, page.includes('INCOMPLETE')]).toEqual([10, true]);
    expect(stderr).toContain('Not everything could be read: The result of the newest scan of hr-assistant.');
  });

  test.each([
    { what: 'no severities', change: () => null },
    {
      what: 'no number for a severity',
      change: (rows: readonly object[]) => rows.map((row) => ({ ...row, successful: null })),
    },
    { what: 'less than all', change: (rows: readonly object[]) => rows.slice(1) },
  ])('are unknown if the report counts $what, so the page is incomplete', async ({ change }) => {
    const alter = altering('/report/static/', (body) => {
      const record = objectOf(body);
      const { stats } = objectOf(record['severity_report']);
      return {
        ...record,
        severity_report: { ...objectOf(record['severity_report']), stats: change(objectsOf(stats)) },
      };
    });
    const { code, page, stderr } = await dashboard({ alter });
    expect([code, page.includes('INCOMPLETE')]).toEqual([10, true]);
    expect(stderr).toContain('The severities of the attacks against support-chatbot');
  });

  test('are closed by a scan that ran them again', async () => {
    expect((await attentionOf({})).filter((text) => text.includes('later scans'))).toEqual([]);
  });

  test('need attention whatever the scan type', async () => {
    expect(await attentionOf({})).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^support-chatbot gave in to 4 critical attacks, and 5 high$/),
        'hr-assistant gave in to 5 of 8 prompts',
        'claims-agent gave in to 7 of 16 streams',
      ]),
    );
  });

  test('by different sets of attacks is not drawn as one line', async () => {
    const linesOf = async (alter: Given['alter']) => {
      const { page } = await dashboard(alter === undefined ? {} : { alter });
      const [chart] = within(byId(elementsOf(page), 'rates'), 'li').filter(({ text }) => text.includes('2 scans'));
      return within(chart, 'path', 'line').map(({ attributes }) => attributes['d'] ?? '');
    };
    const one = { job_metadata: { categories: { A: ['x', 'y'], B: [] }, rate_limit: 5 }, total: 48, completed: 48 };
    const same = { job_metadata: { rate_limit: 9, categories: { B: [], A: ['y', 'x'] } }, total: 48, completed: 48 };
    let at = 0;
    const equal = scans((all) =>
      all.map((scan) => {
        if (scan['job_type'] !== 'STATIC') return scan;
        at += 1;
        return { ...scan, ...(at % 2 === 0 ? one : same) };
      }),
    );
    expect((await linesOf(undefined)).join('')).not.toContain('L');
    expect((await linesOf(equal)).join('')).toContain('L');
  });

  test.each([
    { what: 'another rate', asr: 50, line: /^M [\d. ]+ L [\d. ]+ L [\d. ]+$/, head: '20 %' },
    { what: 'a contradicted rate', asr: 140, line: /^M [\d. ]+ M [\d. ]+$/, head: '20 %' },
    { what: 'no rate', asr: null, line: /^M [\d. ]+ M [\d. ]+$/, head: '20 %' },
    { what: 'no rate at the end', asr: 50, last: null, line: /^M [\d. ]+ L [\d. ]+$/, head: 'not reported' },
  ])('is one line unless a scan interrupts it: $what', async ({ asr, last = 20, line, head }) => {
    const alter = scans((all) => {
      const [scan] = all.filter(({ job_type }) => job_type === 'DYNAMIC');
      return [last, asr, 30].map((each, at) => ({
        ...{ ...scan, uuid: at === 0 ? scan?.['uuid'] : `scan-${at}`, asr: each },
        ...{ created_at: `2026-11-${20 - at}T08:00:00Z`, time_record: {} },
      }));
    });
    const [target] = within(byId(elementsOf((await dashboard({ alter })).page), 'rates'), 'li');
    expect(target?.text).toContain('3 scans');
    expect(within(target, 'path', 'line')[0]?.attributes['d']).toMatch(line);
    expect(within(target, 'b')[0]?.text).toBe(head);
  });
});

describe('in a terminal', () => {
  const shown = (more: readonly string[], columns = 80) =>
    run(['dashboard', ...more], { terminal: { columns, rows: 60 }, environment: { NO_COLOR: '1' } });

  test('the most urgent item comes first, and no file is written', async () => {
    const { code, stdout } = await shown([]);
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines[1]).toMatch(/^SEVERITY +SUBJECT +STATE/);
    expect(lines[2]).toMatch(/^█ critical +support-chatbot +gave in to 4 critical attacks, and 5 high/);
    expect(stdout).toMatch(/support-chatbot +STATIC +27\.08 % +16\.6–41 % +▃ +2/);
    expect(stdout).toMatch(/Static scans +12 of 50 +█████░{15}/);
    expect(stdout).toContain('8 items need attention. All of it: --wide; as a page: --html FILE');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  test.each([
    { what: 'eight items in 60 columns', alter: undefined, columns: 60 },
    { what: 'forty targets and scans', alter: manyScans },
    { what: 'parts that cannot be read', alter: refusing('/v1/scans', 403) },
  ])('fits 24 lines with the prompt below: $what', async ({ alter, columns = 80 }) => {
    const given = { terminal: { columns, rows: 24 }, environment: { NO_COLOR: '1' } };
    const { stdout } = await run(['dashboard'], alter === undefined ? given : { ...given, alter });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(24);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    expect(stdout).toContain('Custom scans   5, unlimited');
  });

  test('--wide shows every item with its command', async () => {
    const { stdout } = await shown(['--wide']);
    expect(stdout).toMatch(/legacy-kiosk[\s\S]* aisec redteam-scan-error-logs job_id=[\w-]{36}$/m);
    expect(stdout).not.toContain('--wide');
  });

  test.each([140, 0])('a rate of %s % that a scan contradicts is drawn nowhere', async (asr) => {
    const alter = eachOf('STATIC', { asr });
    const { page } = await dashboard({ alter });
    const targets = within(byId(elementsOf(page), 'rates'), 'li').filter(({ text }) => text.includes('Static'));
    const shown = targets.map((each) => within(each, 'b')[0]?.text);
    expect(shown).toEqual(targets.map(() => 'contradicted'));
    if (asr !== 0) expect(targets.flatMap((each) => within(each, 'circle'))).toEqual([]);
    const { stdout } = await run(['dashboard', '--output', 'table'], { alter });
    expect(stdout).toContain('contradicted');
    const { rates } = objectOf(JSON.parse((await run(['dashboard', '--output', 'json'], { alter })).stdout));
    for (const { scans } of objectsOf(rates).filter(({ type }) => type === 'STATIC'))
      expect(objectsOf(scans).at(-1)).toMatchObject({ asr: null, asrInterval: null });
  });

  test('a program gets the same data', async () => {
    const { stdout } = await run(['dashboard', '--output', 'json'], { service: createService() });
    const data = JSON.parse(stdout);
    expect(data).toMatchObject({
      tenant: '1000000001',
      production: false,
      complete: true,
      simulated: true,
      missing: [],
    });
    expect(data.attention).toHaveLength(8);
    expect(data.rates[2].scans[1]).toMatchObject({ asr: 27.08, asrInterval: { low: 16.57, high: 41 } });
    expect(data).not.toHaveProperty('file');
  });
});
