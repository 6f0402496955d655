/**
 * Writes docs/images/room.png, the first picture of the README: the war room with a blocked prompt, a list, and a red-team report.
 * Look at it before you commit it.
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from './browser.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { ROOT } from './root.mjs';
import { scratchFolder } from './scratch-folder.mjs';
import { AISEC, startProgram } from './start-program.mjs';

const FILE = join(ROOT, 'docs', 'images', 'room.png');
const MAX_BYTES = 200_000;
const LINES = [
  '!aisec-runtime-scan profile_name=prod prompt="What is the capital of France?"',
  '!aisec-redteam-report-get job_id=2c8f5e1b-a7d0-4396-b4f8-e61d09c3a752',
  '!aisec-redteam-scans-list limit=3',
  '!aisec-runtime-scan profile_name=prod prompt="Should I buy shares of a company?"',
];
/** Entries that are opened. */
const OPEN = [3, 4];

await ensureBuilt();
const folder = scratchFolder('room-picture');
const ready = { url: /^AISEC_URL=(\S+)/m, token: /^AISEC_TOKEN=(\S+)/m, address: /(http\S+#code=\S+)/ };
const words = [AISEC, 'serve', '--simulate', '--port', '0'];
const { found, stop } = await startProgram(words, { ready, environment: { HOME: folder } });
const browser = await launchBrowser();
try {
  const room = await openRoom();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(found.address);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await page.evaluate(`location.hash = '#/room/${room}'`);
  for (const number of OPEN) {
    const toggle = page.locator(`#entry-${number} .entry-toggle`);
    await toggle.waitFor();
    if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
    await page.locator(`#entry-${number} .entry-body:not(.loading-entry)`).waitFor();
  }
  await page.locator(`#entry-${OPEN[0]}`).evaluate((entry) => entry.scrollIntoView());
  mkdirSync(join(FILE, '..'), { recursive: true });
  await page.waitForTimeout(500);
  await page.screenshot({ path: FILE });
  console.log(`${FILE}: ${statSync(FILE).size} bytes, at most ${MAX_BYTES}`);
} finally {
  await browser.close();
  await stop();
}

/** Opens a room in which the lines have run. @returns its id */
async function openRoom() {
  const { id } = await send('/v1/sessions', {});
  for (const line of LINES) await send(`/v1/sessions/${id}/lines`, { line });
  return id;
}

async function send(path, body) {
  const headers = { authorization: `Bearer ${found.token}`, 'content-type': 'application/json' };
  const response = await fetch(new URL(path, found.url), { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
