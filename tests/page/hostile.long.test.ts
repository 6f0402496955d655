/** A hostile tenant: its text stays text in every view. */
import { readFileSync } from 'node:fs';
import { expectNone } from '../support/expect-none.ts';
import { LINE_ROWS } from '../support/lines.ts';
import { HOSTILE, hostileTenant, TRACES } from './hostile.ts';
import { describeInBrowser, loggedIn, logInBy, type Served, serve, settled, tabs } from './support.ts';
import { goTo, lineOf, roomWith, viewsOf } from './views.ts';

/** Every so many entries is opened. */
const STRIDE = 5;

describeInBrowser('a hostile tenant', () => {
  let tenant: Awaited<ReturnType<typeof hostileTenant>>;
  let server: Served;
  let room = '';
  let lines: string[] = [];
  beforeAll(async () => {
    tenant = await hostileTenant();
    server = await serve([], { environment: tenant.settings });
    const scan = `!aisec-runtime-scan profile_name=prod prompt=\`${HOSTILE.replace(/`/g, '').replace(/\$\{/g, '$ {')}\``;
    lines = [scan, ...LINE_ROWS.map(({ line }) => line)];
    room = await roomWith(server, lines);
  });
  afterAll(async () => {
    await server.stop();
    await tenant.close();
  });
  const open = tabs();

  it('runs no script, loads nothing, and shows no markup in any view', async () => {
    const { page } = await open(server.url);
    await page.goto(server.address);
    await loggedIn(page);
    const found: string[] = [];
    for (const view of viewsOf(room)) {
      await goTo(page, view);
      found.push(...(await page.evaluate<string[]>(TRACES)).map((trace) => `#/${view}: ${trace}`));
    }
    for (let number = 1; number <= lines.length; number += STRIDE) {
      await goTo(page, `room/${room}/${number}`);
      found.push(...(await page.evaluate<string[]>(TRACES)).map((trace) => `${lines[number - 1]}: ${trace}`));
    }
    expectNone(found, 'traces of an attack');
  });

  it('is harmless in the completions, the palette, the form and the guard, and fits on a phone', async () => {
    const { page } = await open(server.url, { permits: /status of 401/, viewport: { width: 360, height: 740 } });
    await page.goto(`${server.url}/#/room/${room}/1`);
    await logInBy(page, server.token);
    await loggedIn(page);
    const found: string[] = [];
    const look = async (where: string) => {
      await settled(page);
      found.push(...(await page.evaluate<string[]>(TRACES)).map((trace) => `${where}: ${trace}`));
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (wide > 0) found.push(`${where}: ${wide} pixels too wide`);
    };
    await look('entry');
    await page.getByRole('article').getByText('<script>document').first().waitFor();
    await lineOf(page).fill('!aisec-runtime-scan profile_name=');
    await page.getByRole('listbox', { name: 'Completions' }).getByRole('option').first().waitFor();
    await look('completions');
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await look('form');
    await page.getByRole('button', { name: /^History/ }).click();
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await look('history');
    await page.keyboard.press('Escape');
    for (const view of ['', 'jobs', 'reports', 'guard']) {
      await goTo(page, view);
      await look(view);
    }
    expectNone(found, 'traces of an attack');
  });

  it('leaves nothing that runs in exported files', async () => {
    const { page } = await open(server.url, { permits: /status of 401/ });
    await page.goto(`${server.url}/#/room/${room}/1`);
    await logInBy(page, server.token);
    await loggedIn(page);
    await page.getByRole('button', { name: 'Star entry 1', exact: true }).click();
    await page.getByRole('button', { name: 'Star entry 1', exact: true, pressed: true }).waitFor();
    const texts = new Map<string, string>();
    for (const name of ['Export CSV', 'Export JSON', 'Export markdown', 'Starred as HTML']) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole(name === 'Starred as HTML' ? 'link' : 'button', { name, exact: true }).click(),
      ]);
      texts.set(name, readFileSync(await download.path(), 'utf8'));
    }
    // Text in a cell that a spreadsheet would compute begins with a character that prevents it.
    expect(texts.get('Export CSV')).not.toMatch(/(?:^|,)"?[=+@-](?!\d)/m);
    expect(texts.get('Export markdown')).not.toMatch(/<script|<img|(?<!\\)\]\((?:javascript|http)/);
    expect(JSON.parse(texts.get('Export JSON') ?? '')).toHaveLength(lines.length);
    const report = texts.get('Starred as HTML') ?? '';
    expect(report).toContain('&lt;script&gt;');
    const file = await open(server.url);
    // Without the policy of the file, so that only its escaping protects.
    await file.page.setContent(report.replace(/<meta http-equiv[^>]*>/, ''));
    expectNone(await file.page.evaluate<string[]>(TRACES), 'traces of an attack');
  });

  it('would be noticed if its text became markup', async () => {
    const { page, complaints } = await open(server.url);
    await page.setContent(`<main>${HOSTILE}</main>`);
    await page.waitForFunction('document.documentElement.dataset.owned !== undefined');
    expect((await page.evaluate<string[]>(TRACES)).join('\n')).toMatch(/a script ran.*markup <b data-owned/s);
    expect(complaints.splice(0).join('\n')).toContain('request: http://elsewhere.test/image');
  });
});
