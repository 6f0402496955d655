/** A hostile tenant: its text stays text in every view. */
import { expectNone } from '../support/expect-none.ts';
import { LINE_ROWS } from '../support/lines.ts';
import { HOSTILE, hostileTenant, TRACES } from './hostile.ts';
import { describeInBrowser, loggedIn, type Served, serve, tabs } from './support.ts';
import { goTo, roomWith, viewsOf } from './views.ts';

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
});
