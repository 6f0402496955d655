/** Runs survive what happens to a browser: a reload, a lost connection, a token that is revoked. */
import { exchange } from '../hosts/http/support.ts';
import { breakable } from './breakable.ts';
import { describeInBrowser, loggedIn, logInBy, type Served, serve, tabs } from './support.ts';
import { SCAN_LINE, tenantWithClock } from './tenant.ts';
import { entriesOf, roomWith } from './views.ts';

/** Progress after half of the time. */
const HALF = /RUNNING, \d+\/48/;

describeInBrowser('a run', () => {
  let tenant: Awaited<ReturnType<typeof tenantWithClock>>;
  let server: Served;
  beforeAll(async () => {
    tenant = await tenantWithClock();
    server = await serve([], { environment: tenant.settings });
  });
  afterAll(async () => {
    await server.stop();
    await tenant.close();
  });
  const open = tabs();

  it('goes on while the page is reloaded and while the connection is lost, and its end is shown', async () => {
    const connection = await breakable(server.url);
    // The browser prints each request of the lost connection, and the first visit without a login.
    const { page } = await open(connection.url, { permits: /status of 401|net::ERR_/ });
    const room = await roomWith(server, []);
    await page.goto(`${connection.url}/#/room/${room}`);
    await logInBy(page, server.token);
    await loggedIn(page);
    await page.getByText('● live').waitFor();
    await exchange(new URL(`/v1/sessions/${room}/lines`, server.url), {
      ...{ method: 'POST', body: { line: SCAN_LINE }, token: server.token, headers: { prefer: 'respond-async' } },
    });
    const running = page.getByRole('list', { name: 'Running' }).getByRole('listitem');
    // Before its first progress, the tenant may not have the scan yet.
    await running.filter({ hasText: /[A-Z]+, \d+\/48/ }).waitFor();
    tenant.half();
    await running.filter({ hasText: HALF }).waitFor();
    await page.reload();
    await running.filter({ hasText: HALF }).waitFor();
    connection.cut();
    await page.getByText('connection lost').waitFor();
    tenant.half();
    connection.restore();
    await page.getByText('● live').waitFor();
    await running.waitFor({ state: 'detached' });
    await entriesOf(page).filter({ hasText: 'done' }).filter({ hasText: 'nightly' }).waitFor();
    await connection.close();
  });
});
