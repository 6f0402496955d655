/** The list of entries: what moves and what does not, its keys, and what leaves the page. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describeInBrowser, loggedIn, logInBy, type Served, serve, settled, tabs } from './support.ts';
import { goTo, roomWith } from './views.ts';

const SCANS = '!aisec-redteam-scans-list';
const TOPICS = '!aisec-runtime-topics-list';
const ROOM = [SCANS, ...Array.from({ length: 15 }, () => TOPICS), 'aisec-redteam-scans-get'];

describeInBrowser('the list of entries', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve();
  });
  afterAll(() => server.stop());
  const open = tabs();
  /** Opens a room with many lines. @returns its page, and a function that runs a line elsewhere */
  const inRoom = async (lines = ROOM) => {
    const room = await roomWith(server, lines);
    const { page } = await open(server.url, { permits: /status of 401/ });
    await page.goto(`${server.url}/#/room/${room}`);
    await logInBy(page, server.token);
    await loggedIn(page);
    await entry(page, lines.length).waitFor();
    await settled(page);
    return { page, room };
  };
  const entry = (page: Page, number: number) => page.locator(`#entry-${number}`);
  const open1 = async (page: Page, room: string) => {
    await goTo(page, `room/${room}/1`);
    await entry(page, 1).getByRole('grid').waitFor();
  };
  const topOf = async (page: Page, number: number) => (await entry(page, number).boundingBox())?.y;
  const isExpanded = (page: Page, number: number) =>
    entry(page, number).getByRole('button').first().getAttribute('aria-expanded');

  it('opens the newest entry, folds the one before, and follows the end', async () => {
    const { page } = await inRoom([SCANS, TOPICS]);
    expect(await isExpanded(page, 1)).toBe('false');
    expect(await isExpanded(page, 2)).toBe('true');
  });

  it('moves nothing for somebody who reads elsewhere, and says that there is more', async () => {
    const { page, room } = await inRoom();
    await open1(page, room);
    await entry(page, 1).getByRole('grid').focus();
    const before = await topOf(page, 1);
    await page.evaluate(
      `fetch('/v1/sessions/${room}/lines', { method: 'POST', headers: { 'x-aisec-page': '1', 'content-type': 'application/json' }, body: '{"line":"${SCANS}"}' }).then((answer) => answer.status)`,
    );
    const more = page.getByRole('button', { name: '1 new' });
    await more.waitFor();
    expect(await topOf(page, 1)).toBe(before);
    await more.click();
    await entry(page, ROOM.length + 1).waitFor();
  });

  it('keeps what was scrolled to just before the list is drawn again', async () => {
    const { page } = await inRoom();
    const scrolled = await page.evaluate<number>(`(async () => {
      const list = document.querySelector('.entries-list');
      list.scrollTop = 0;
      document.querySelector('#entry-1').focus({ preventScroll: true });
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
      return list.scrollTop;
    })()`);
    expect(scrolled).toBe(0);
  });

  it('opens the entry of an address after a reload', async () => {
    const { page, room } = await inRoom();
    await goTo(page, `room/${room}/5`);
    await page.reload();
    await entry(page, 5).getByRole('grid').waitFor();
    await settled(page);
    expect(await isExpanded(page, 5)).toBe('true');
    expect(await topOf(page, 5)).toBeLessThan(200);
  });

  it('replaces a result in place', async () => {
    const { page, room } = await inRoom();
    await open1(page, room);
    const before = await topOf(page, 1);
    await entry(page, 1).getByRole('button', { name: 'Run again and replace' }).click();
    await entry(page, ROOM.length + 1).waitFor();
    await entry(page, 1).waitFor({ state: 'detached' });
    expect(await topOf(page, ROOM.length + 1)).toBe(before);
  });

  it('is used by keys', async () => {
    const { page, room } = await inRoom();
    await open1(page, room);
    await entry(page, 1).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.keyboard.press('s');
    await entry(page, 2).getByRole('button', { name: 'Star entry 2', pressed: true }).waitFor();
    expect(await isExpanded(page, 2)).toBe('true');
    await page.keyboard.press('k');
    expect(await page.evaluate('document.activeElement.id')).toBe('entry-1');
  });

  it('sorts, filters and shows a record by keys', async () => {
    const { page, room } = await inRoom();
    await open1(page, room);
    const first = entry(page, 1);
    const cells = first.getByRole('row').nth(1);
    for (const asr of ['16.67', '62.5']) {
      await first.getByRole('button', { name: 'ASR' }).click();
      await cells.getByText(asr, { exact: true }).first().waitFor();
    }
    await first.getByRole('searchbox').fill('CLAIMS');
    await first.getByText('1 of 6').waitFor();
    await first.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await first.getByText('Record 1').waitFor();
    await first.getByText('claims-agent goals').nth(1).waitFor();
    // What was opened stays so while the entry is folded.
    for (let click = 0; click < 2; click += 1) await first.getByRole('button').first().click();
    await first.getByText('Record 1').waitFor();
    await first.getByText('1 of 6').waitFor();
  });

  it('saves what is seen of a table, and the starred entries as a page', async () => {
    const { page, room } = await inRoom();
    await open1(page, room);
    const first = entry(page, 1);
    await first.getByRole('searchbox').fill('claims');
    const csv = await saved(page, () => first.getByRole('button', { name: 'Save as CSV' }).click());
    expect(csv.split('\r\n').map((line) => line.slice(0, 13))).toEqual(['uuid,name,sta', 'd61a3f90-c8b4', '']);
    await first.getByRole('button', { name: 'Star entry 1' }).click();
    const report = await saved(page, () => page.getByRole('link', { name: 'Starred as HTML' }).click());
    expect(report).toContain('<bdi>claims-agent goals</bdi>');
    expect(report.match(/<section class="panel wide" id="line-/g)).toHaveLength(1);
  });

  it('puts the command of a hint into the line', async () => {
    const { page } = await inRoom();
    await entry(page, ROOM.length).getByRole('button', { name: '!aisec-redteam-scan-get' }).click();
    expect(await page.evaluate('document.activeElement.value')).toBe('!aisec-redteam-scan-get');
  });
});

async function saved(page: Page, act: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return readFile(await download.path(), 'utf8');
}
