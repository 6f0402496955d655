/** Logins of a real browser: by the address of the start, by a token, and their end. */
import type { Route } from 'playwright-core';
import { exchange } from '../hosts/http/support.ts';
import { expectNone } from '../support/expect-none.ts';
import { until } from '../support/machine.ts';
import { describeInBrowser, loggedIn, logInBy, type Served, serve, tabs, violations } from './support.ts';

/** A browser prints each refused request to its console. */
const REFUSED = /status of 401/;

describeInBrowser('login', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve();
  });
  afterAll(() => server.stop());
  const open = tabs();

  it('succeeds by the address of the start, once, and leaves no code in the address', async () => {
    const { page } = await open(server.url);
    await page.goto(server.address);
    await loggedIn(page);
    expect(page.url()).toBe(`${server.url}/#/`);
    await page.reload();
    await loggedIn(page);
    const other = await open(server.url, { permits: REFUSED });
    await other.page.goto(server.address);
    await other.page.getByLabel('Token').waitFor();
    expect(other.page.url()).not.toContain('code=');
  });

  it('opens one room, however often its view is shown before', async () => {
    const { page } = await open(server.url, { permits: REFUSED });
    await page.goto(server.url);
    await logInBy(page, server.token);
    await loggedIn(page);
    const held: Route[] = [];
    await page.route('**/v1/sessions', (route) => (held.push(route) > 1 ? route.continue() : undefined));
    await page.evaluate(`(async () => {
      for (const view of ['room', '', 'room', '', 'room']) {
        location.hash = '#/' + view;
        await new Promise((done) => setTimeout(done, 50));
      }
    })()`);
    await until(() => held.length > 0);
    expect(held).toHaveLength(1);
    await held[0]?.continue();
    await page.getByText('● live').waitFor();
    const { json } = await exchange(new URL('/v1/sessions', server.url), { token: server.token });
    expect(json.sessions).toHaveLength(1);
  });

  it('shows the requested view after a token, and ends for all tabs at logout', async () => {
    const { page, another } = await open(server.url, { permits: REFUSED });
    const refused: string[] = [];
    page.on('response', (response) => response.status() === 401 && refused.push(new URL(response.url()).pathname));
    await page.goto(`${server.url}/#/guard`);
    await page.getByLabel('Token').waitFor();
    expect(refused).toEqual(['/v1/me']);
    await logInBy(page, 'wrong');
    await page.getByRole('alert').filter({ hasText: 'not valid' }).waitFor();
    await logInBy(page, server.token);
    await loggedIn(page);
    expect([page.url(), await page.title()]).toEqual([`${server.url}/#/guard`, 'Guard - aisec']);
    const second = await another();
    await second.goto(`${server.url}/#/jobs`);
    await loggedIn(second);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    await second.reload();
    await second.getByLabel('Token').waitFor();
  });

  it('leaves nothing that a script of the page can read', async () => {
    const { page } = await open(server.url, { permits: REFUSED });
    await page.goto(server.url);
    await logInBy(page, server.token);
    await loggedIn(page);
    const readable = await page.evaluate<string>(
      'document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)',
    );
    expect(readable).not.toMatch(/aisec_|[\w-]{40}/);
  });

  it.each(['light', 'dark'] as const)('has no violation by axe, %s', async (colorScheme) => {
    const { page } = await open(server.url, { permits: REFUSED, colorScheme });
    await page.goto(server.url);
    await logInBy(page, 'wrong');
    await page.getByRole('alert').filter({ hasText: 'not valid' }).waitFor();
    expectNone(await violations(page), 'violations by axe');
  });
});
