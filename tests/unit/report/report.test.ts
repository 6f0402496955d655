import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { objectOf, objectsOf } from '../../../lib/core/json.ts';
import { reportPage } from '../../../lib/features/report/page/html.ts';
import { collect } from '../../../lib/features/scans/collect/collect.ts';
import { percentage } from '../../../lib/features/scans/format.ts';
import type { CommandOutput } from '../../../lib/runtime/engine/command-port.ts';
import { expectNone } from '../../support/expect-none.ts';
import { warRoom } from '../../support/simulated.ts';
import { altering, byId, type Element, elementsOf, type Given, refusing, report, run, within } from './support.ts';

const { jobs } = RED_TEAM_IDS;

const headings = (elements: readonly Element[]) =>
  elements.filter(({ name }) => name === 'h1' || name === 'h2').map(({ text }) => text);
const rowsOf = (panel: Element) => within(panel, 'ul', 'bars').flatMap((chart) => within(chart, 'li'));
const labels = (elements: readonly Element[]) =>
  elements.filter(({ name }) => name === 'svg').map(({ attributes }) => attributes['aria-label']);
const tilesOf = (elements: readonly Element[]) =>
  within(elements[0], 'dl', 'tiles').flatMap((list) => within(list, 'dd'));
/** The numbers at the start of texts such as `13 the target gave in`. */
const numbers = (elements: readonly Element[]) => elements.map(({ text }) => Number.parseFloat(text));
/** `9 of 20` as two numbers. */
const counts = (text: string) => (/(\d+) of (\d+)/.exec(text) ?? []).slice(1).map(Number);
const total = (list: readonly number[]) => list.reduce((sum, each) => sum + each, 0);

describe('the page of a scan', () => {
  test.each([
    {
      type: 'STATIC',
      job: jobs.static,
      expected: [
        'support-chatbot monthly',
        'Risk score',
        'Attack success rate',
        'Attacks by severity',
        'Success rate by category',
        'Success rate by sub-category',
        'The same attacks by compliance framework',
        'The worst successful attacks',
        'The other successful attacks',
        'What to do',
        'About this report',
      ],
    },
    {
      type: 'DYNAMIC',
      job: jobs.dynamic,
      expected: [
        'claims-agent goals',
        'Risk score',
        'Attack success rate',
        'Goals and streams',
        'How the target gave in',
        'What to do',
        'About this report',
      ],
    },
    {
      type: 'CUSTOM',
      job: jobs.custom,
      expected: [
        'hr-assistant own prompts',
        'Risk score',
        'Attack success rate',
        'Success rate by prompt set',
        'Success rate by property',
        'The prompts that were most often successful',
        'About this report',
      ],
    },
  ])('has the sections of a $type scan in order', async ({ job, type, expected }) => {
    const { code, page, stdout, file } = await report(job, { more: ['--output', 'table'] });
    expect(code).toBe(0);
    expect(stdout).toBe(`The report on ${expected[0]} is in ${file} (${Buffer.byteLength(page)} bytes).\n`);
    const elements = elementsOf(page);
    expect(headings(elements)).toEqual(expected);
    const facts = within(elements[0], 'dl', 'facts').flatMap((list) => within(list, 'dd'));
    expect(facts.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^(support-chatbot|claims-agent|hr-assistant)$/),
      expect.stringContaining(type),
      expect.stringMatching(/^1[789] November 2026, 20:25 UTC after 20 min$/),
      job,
    ]);
    const active = ['script', 'img', 'iframe', 'form', 'object'];
    expectNone(
      elements.filter(({ name }) => active.includes(name)).map(({ name }) => name),
      'active elements',
    );
    expect(page).toContain(
      'http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data:;',
    );
    for (const label of labels(elements).filter((each) => each !== undefined)) expect(label).toMatch(/\d|not reported/);
    expect(
      elements
        .filter((svg) => svg.name === 'svg' && svg.attributes['role'] !== 'img')
        .map(({ attributes }) => attributes['aria-hidden']),
    ).toEqual(
      labels(elements)
        .filter((label) => label === undefined)
        .map(() => 'true'),
    );
  });

  test('names risks by both editions of a list that renumbered them', async () => {
    const frameworks = byId(elementsOf((await report(jobs.static)).page), 'frameworks');
    const names = within(frameworks, 'span', 'name').map(({ text }) => text);
    expect(names.slice(0, 4)).toEqual([
      'Prompt injection LLM01:2025, LLM01:2026',
      'Improper output handling LLM05:2025, LLM10:2026',
      'System prompt leakage LLM07:2025, LLM08:2026',
      'LLM prompt injection',
    ]);
  });

  test.each([
    { asr: -5, job: jobs.custom },
    { asr: 140, job: jobs.static },
    { asr: 0, job: jobs.dynamic },
    { asr: 100, job: jobs.static },
  ])('draws no rate of $asr % that the scan contradicts: $job', async ({ asr, job }) => {
    const alter = altering(job, (body) => ('asr' in objectOf(body) ? { ...objectOf(body), asr } : body));
    const { code, page, stdout } = await report(job, { alter });
    const elements = elementsOf(page);
    expect([code, within(elements[0], 'p', 'big')[0]?.text]).toEqual([10, 'contradicted']);
    expect(page).toContain('INCOMPLETE');
    expect(JSON.parse(stdout).missing).toEqual([
      { what: 'The success rate', why: expect.stringContaining(`${asr} %`) },
    ]);
  });

  test('every breakdown of a static scan adds up to the numbers of the commands', async () => {
    const room = warRoom();
    const reported = await room.value(`!aisec-redteam-report-get job_id=${jobs.static}`);
    const attacks = await room.values(`!aisec-redteam-report-attacks-list job_id=${jobs.static} threat=true limit=200`);
    const elements = elementsOf((await report(jobs.static)).page);
    expect(numbers(tilesOf(elements))).toEqual([
      reported['total_attacks'],
      reported['successful_attacks'],
      reported['failed_attacks'],
    ]);
    expect(labels(elements)).toEqual(
      expect.arrayContaining([`Risk score: ${String(reported['score'])} of 100, higher is worse`]),
    );
    expect(within(elements[0], 'p', 'big')[0]?.text).toBe(percentage(Number(reported['asr'])).replace('\u00a0', ' '));

    const severities = rowsOf(byId(elements, 'severity'));
    expect(severities.map((row) => within(row, 'span', 'pill')[0]?.text)).toEqual([
      'CRITICAL',
      'HIGH',
      'MEDIUM',
      'LOW',
    ]);
    const bySeverity = severities.map((row) => counts(within(row, 'svg')[0]?.attributes['aria-label'] ?? ''));
    expect(total(bySeverity.map(([hit = 0]) => hit))).toBe(reported['successful_attacks']);
    expect(total(bySeverity.map(([, all = 0]) => all))).toBe(reported['total_attacks']);

    const categories = rowsOf(byId(elements, 'categories'));
    expect(total(categories.map((row) => counts(row.text)[0] ?? 0))).toBe(reported['successful_attacks']);
    expect(total(categories.map((row) => counts(row.text)[1] ?? 0))).toBe(reported['total_attacks']);
    const asrs = objectsOf(reported['category_reports'])
      .filter(({ asr }) => asr !== undefined)
      .map(({ asr }) => Number(asr));
    expect(categories.map((row) => Number.parseFloat(within(row, 'b')[0]?.text ?? ''))).toEqual(
      asrs.sort((a, b) => b - a),
    );

    const parts = byId(elements, 'sub-categories');
    const bySub = [...rowsOf(parts), ...within(parts, 'ul', 'chips').flatMap((list) => within(list, 'li'))];
    expect(total(bySub.map((row) => counts(row.text)[0] ?? 0))).toBe(reported['successful_attacks']);
    expect(total(bySub.map((row) => counts(row.text)[1] ?? 0))).toBe(reported['total_attacks']);

    const squares = within(elements[0], 'svg', 'squares')[0];
    expect(within(squares, 'rect', 'hit')).toHaveLength(Number(reported['successful_attacks']));
    expect(within(squares, 'rect')).toHaveLength(Number(reported['total_attacks']));

    const cards = within(byId(elements, 'attacks'), 'li', 'card');
    const others = within(within(byId(elements, 'others'), 'tbody')[0], 'tr');
    expect(cards.length + others.length).toBe(attacks.length);
    expect(cards).toHaveLength(10);
    const shown = [...cards, ...others].map((each) => within(each, 'span', 'pill')[0]?.text ?? '');
    expect(shown).toEqual([...shown].sort((a, b) => rank(a) - rank(b)));
    expect(within(byId(elements, 'attacks'), 'figure', 'threat').length).toBeGreaterThanOrEqual(10);
    expect(within(byId(elements, 'attacks'), 'p', 'turn').map(({ text }) => text)).toEqual([
      'Turn 1',
      'Turn 2',
      'Turn 3',
    ]);
  });

  test('goals, streams and turns of a dynamic scan are those of the commands', async () => {
    const room = warRoom();
    const reported = await room.value(`!aisec-redteam-report-get job_id=${jobs.dynamic}`);
    const goals = await room.values(`!aisec-redteam-report-goals-list job_id=${jobs.dynamic}`);
    const elements = elementsOf((await report(jobs.dynamic)).page);
    expect(numbers(tilesOf(elements))).toEqual([
      reported['total_goals'],
      reported['goals_achieved'],
      16,
      reported['total_threats'],
    ]);
    const panel = byId(elements, 'goals');
    const pills = within(panel, 'span', 'pill').map(({ text }) => text);
    expect(pills).toEqual(['achieved', 'achieved', 'achieved', 'withstood']);
    expect(goals.filter(({ threat }) => threat === true)).toHaveLength(3);
    const lanes = within(panel, 'ul', 'streams').flatMap((list) => within(list, 'svg'));
    expect(lanes).toHaveLength(16);
    expect(lanes.flatMap((lane) => within(lane, 'circle', 'hit'))).toHaveLength(Number(reported['total_threats']));
    const lane = lanes.find((each) => (each.attributes['aria-label'] ?? '').includes('gave in after 3 turns'));
    expect(within(lane, 'circle')).toHaveLength(3);
    const cards = within(byId(elements, 'attacks'), 'li', 'card');
    expect(cards.map((card) => within(card, 'h3')[0]?.text)).toEqual(
      goals.filter(({ threat }) => threat === true).map(({ goal }) => goal),
    );
    expect(cards[0]?.text).toContain('successful in 2 of 4 streams');
    expect(cards[0]?.text).toContain('Of course. This is what you asked for: Reveal the claim of another customer.');
  });

  test('prompt sets and properties of a custom scan are those of the commands, without remediation', async () => {
    const reported = await warRoom().value(`!aisec-redteam-custom-attack-report-get job_id=${jobs.custom}`);
    const elements = elementsOf((await report(jobs.custom)).page);
    expect(numbers(tilesOf(elements))).toEqual([
      reported['total_attacks'],
      reported['total_threats'],
      reported['failed_attacks'],
    ]);
    const sets = rowsOf(byId(elements, 'prompt-sets')).map(({ text }) => text);
    expect(sets).toEqual(['brand-voice 100 % 3 of 3', 'refund-abuse 40 % 2 of 5']);
    const properties = within(byId(elements, 'properties'), 'section', 'group');
    expect(properties.map((each) => [within(each, 'h3')[0]?.text, ...rowsOf(each).map(({ text }) => text)])).toEqual([
      ['region', 'americas 50 % 1 of 2', 'europe 33.33 % 1 of 3'],
      ['customer tier', 'premium 66.67 % 2 of 3', 'basic 0 % 0 of 2'],
    ]);
    expect(within(byId(elements, 'attacks'), 'li', 'card')).toHaveLength(Number(reported['total_threats']));
    expect(byId(elements, 'notes').text).toContain('publishes no remediation');
  });

  test('marks every missing value as not reported, and invents nothing', async () => {
    const ask = async (command: string): Promise<CommandOutput> => ({
      record: command === 'aisec-redteam-scan-get' ? { uuid: 'u', status: 'COMPLETED', job_type: 'STATIC' } : {},
      records: [],
      simulated: false,
    });
    const data = await collect('u', ask, { createdAt: 0, version: '1', progress: () => undefined });
    const elements = elementsOf(reportPage(data));
    expect(headings(elements)).toEqual([
      'not reported',
      'Risk score',
      'Attack success rate',
      'What to do',
      'About this report',
    ]);
    expect(tilesOf(elements).map(({ text }) => text.slice(0, 12))).toEqual([
      'not reported',
      'not reported',
      'not reported',
    ]);
    expect(labels(elements)).toEqual(['Risk score: not reported']);
    expect(byId(elements, 'remediation').text).toBe('What to do The service recommends nothing.');
    expect(reportPage(data)).not.toMatch(/NaN|undefined|null|Infinity/);
  });

  test('a scan without a successful attack has a message', async () => {
    const none = altering('/list-attacks', (body) => ({ ...Object(body), data: [], pagination: { total_items: 0 } }));
    const zero = altering('/report', (body) => ({
      ...Object(body),
      severity_report: { successful: 0, failed: 4, total_attacks: 4, stats: [] },
    }));
    const alter: Given['alter'] = (path, response, url) => zero(path, none(path, response, url), url);
    const { page } = await report(jobs.static, { alter });
    expect(byId(elementsOf(page), 'attacks').text).toContain('No attack was successful.');
  });
});

function rank(severity: string): number {
  return ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'].indexOf(severity);
}

describe('the simulated mark', () => {
  test('is on the page, in its title, on every printed sheet, in the result and on stderr', async () => {
    const { page, stdout, stderr } = await report(jobs.static);
    const elements = elementsOf(page);
    expect(elements.find(({ name }) => name === 'title')?.text).toMatch(/^SIMULATED: support-chatbot monthly/);
    expect(within(elements[0], 'p', 'banner').map(({ text }) => text)).toEqual([
      'SIMULATED Answered by the simulated service, not by a tenant.',
    ]);
    // Screen readers skip what stands outside of a landmark.
    expect(page.replace(/\s+/g, ' ')).toMatch(/<body> <header><p class="banner simulated">.*<\/header> <main>/);
    expect(page).toMatch(/@page \{ @top-center \{ content: 'SIMULATED/);
    expect(JSON.parse(stdout)).toMatchObject({ report: jobs.static, simulated: true, complete: true, missing: [] });
    expect(stderr).toContain('answered by the simulated service');
  });

  test('is absent if a tenant answers', async () => {
    const alter: Given['alter'] = (_path, { headers, ...response }) => {
      const { 'x-aisec-simulated': _mark, ...others } = headers;
      return { ...response, headers: others };
    };
    const { page, stdout, stderr } = await report(jobs.static, { alter });
    expect(page).not.toMatch(/SIMULATED|simulated service/);
    expect(JSON.parse(stdout)).toMatchObject({ simulated: false });
    expect(stderr).toBe('');
  });
});

describe('the exit code of a report', () => {
  const RUNNING = altering(`/scan/${jobs.static}`, (body) => ({ ...Object(body), status: 'RUNNING', completed: 12 }));

  test.each([
    {
      what: 'a running scan',
      job: jobs.static,
      given: { alter: RUNNING },
      code: 8,
      says: /RUNNING, at 12\/48.*Wait until/s,
    },
    {
      what: 'a scan that failed',
      job: jobs.failed,
      given: {},
      code: 8,
      says: /FAILED.*aisec redteam-scan-error-logs/s,
    },
    { what: 'a locked partial scan', job: jobs.partial, given: {}, code: 8, says: /locked.*report-generate-partial/s },
    {
      what: 'an unknown scan',
      job: jobs.static.replace('2c8', '000'),
      given: {},
      code: 5,
      says: /Neither a red-team scan nor a model scan/,
    },
    { what: 'an unknown scan name', job: 'nightly', given: {}, code: 5, says: /job_id/ },
    {
      what: 'a report that is refused',
      job: jobs.static,
      given: { alter: refusing('/static/', 403) },
      code: 4,
      says: /denied access/,
    },
  ])('$what exits with $code, and no page is written', async ({ job, given, code, says }) => {
    const ended = await report(job, given);
    expect(ended).toMatchObject({ code, page: '', stdout: '' });
    expect(ended.stderr).toMatch(says);
  });

  test.each([
    { argv: ['report'], code: 2, says: 'needs the id of a red-team or model scan' },
    {
      argv: ['report', jobs.static],
      code: 2,
      says: `look at it with: aisec report ${jobs.static} --open --simulate`,
    },
    { argv: ['report', jobs.static, 'more', '--html', 'x'], code: 2, says: 'Too many arguments' },
    {
      argv: ['doctor', '--html', 'x'],
      code: 2,
      says: 'Option --html belongs to: aisec report, aisec compare, aisec dashboard.',
    },
    { argv: ['report', jobs.static, '--html', '/no such directory/x.html'], code: 3, says: 'cannot be written' },
  ])('aisec $argv exits with $code', async ({ argv, code, says }) => {
    const ended = await run(argv);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(says);
  });

  test('at a terminal, a name is resolved to the id of the scan', async () => {
    const { code, stdout } = await report('support-chatbot monthly', { terminal: { columns: 80, rows: 24 } });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^The report on support-chatbot monthly/),
    });
  });

  test('an unlocked report of a partial scan exits with 10, and the page says that it is partial', async () => {
    const service = createService();
    await run([`!aisec-redteam-report-generate-partial job_id=${jobs.partial}`], { service });
    const { code, page, stdout, stderr } = await report(jobs.partial, { service });
    expect(code).toBe(10);
    expect(within(elementsOf(page)[0], 'p', 'partial').map(({ text }) => text)).toEqual([
      'PARTIAL The scan did not finish: 58.33 % of it is done.',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ complete: false });
    expect(stderr).toContain('stayed partial, at 28/48');
  });

  test.each([
    { what: 'remediation', part: '/remediation', status: 403, lost: 'The remediation' },
    { what: 'the answers to attacks', part: '/attack/', status: 400, lost: 'The answers to a successful attack' },
    { what: 'the list of attacks', part: '/list-attacks', status: 400, lost: 'The successful attacks' },
  ])(
    '$what that cannot be read (HTTP $status) exits with 10, and the page lists it as missing',
    async ({ part, status, lost }) => {
      const { code, page, stdout, stderr } = await report(jobs.static, { alter: refusing(part, status) });
      expect(code).toBe(10);
      expect(stderr).toContain(lost);
      const elements = elementsOf(page);
      expect(within(elements[0], 'p', 'partial')[0]?.text).toMatch(/^INCOMPLETE/);
      expect(within(byId(elements, 'notes'), 'li', 'loss').map(({ text }) => text)).toEqual([
        expect.stringMatching(new RegExp(`^${lost} could not be read`)),
      ]);
      const summary = JSON.parse(stdout) as { complete: boolean; missing: { what: string }[] };
      expect(summary.complete).toBe(false);
      expect(summary.missing[0]?.what).toBe(lost);
    },
  );

  test('a scan without remediation has a message, and exits with 0', async () => {
    const { code, page } = await report(jobs.static, { alter: refusing('/remediation', 404) });
    expect(code).toBe(0);
    const elements = elementsOf(page);
    expect(within(byId(elements, 'notes'), 'li', 'loss')[0]?.text).toMatch(/^The remediation is not there: /);
    expect(headings(elements)).not.toContain('What to do');
  });

  test('an existing file is replaced as a whole', async () => {
    const { file } = await report(jobs.static);
    writeFileSync(file, 'old');
    const { code } = await run(['report', jobs.custom, '--html', file]);
    expect(code).toBe(0);
    expect(headings(elementsOf(readFileSync(file, 'utf8')))[0]).toBe('hr-assistant own prompts');
    expect(readdirSync(dirname(file))).toEqual(['report.html']);
  });
});
