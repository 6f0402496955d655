/** A hostile tenant: its text stays text in every view. */
import { expectNone } from '../support/expect-none.ts';
import { LINES } from '../support/lines.ts';
import { HOSTILE, hostileTenant, TRACES } from './hostile.ts';
import { describeInBrowser, loggedIn, type Served, serve, tabs } from './support.ts';
import { goTo, roomWith, viewsOf } from './views.ts';

describeInBrowser('a hostile tenant', () => {
  let tenant: Awaited<ReturnType<typeof hostileTenant>>;
  let server: Served;
  let room = '';
  beforeAll(async () => {
    tenant = await hostileTenant();
    server = await serve([], { environment: tenant.settings });
    const lines = Object.entries(LINES).map(([name, rest]) => `!${name} ${rest}`.trim());
    const scan = `!aisec-runtime-scan profile_name=prod prompt=\`${HOSTILE.replace(/`/g, '').replace(/\$\{/g, '$ {')}\``;
    room = await roomWith(server, [...lines, scan]);
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
    expectNone(found, 'traces of an attack');
  });
});
