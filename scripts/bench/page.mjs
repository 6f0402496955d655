/**
 * Measures the war room in a browser: the size of its parts, the time from an event to the drawn entry, and the frames while people
 * scroll in a long room and in a long table.
 */
import { gzipSync } from 'node:zlib';
import { launchBrowser } from '../browser.mjs';
import { pageFiles } from '../build/page.mjs';
import { scratchFolder } from '../scratch-folder.mjs';
import { AISEC, startProgram } from '../start-program.mjs';
import { measuredOn, range, table } from './measure.mjs';

/** Limit of the whole page, compressed. */
const PAGE_BYTES = 60_000;
/** Limit from an event to the frame that shows its entry. */
const DRAWN_MS = 100;
/** Limit of a frame. */
const FRAME_MS = 50;
const ENTRIES = 1000;
const ROWS = 10_000;
/** Lines whose entries are timed. */
const TIMED = 21;
const ROUNDS = 7;
/** Steps of the mouse wheel, and pixels of each. */
const STEPS = 60;
const STEP = 800;

export async function measurePage() {
  const sizes = await sizesOfParts();
  const figures = await inRoom(async (room) => [
    ['from an event to its entry on the screen, ms', range(await drawTimes(room), 0), '', DRAWN_MS],
    scrollRow(`${ENTRIES} entries scroll`, await scrollEntries(room)),
    scrollRow(`a table of ${ROWS} rows scrolls`, await scrollTable(room)),
  ]);
  return `## The war room in the browser

The page as the build writes it, minified; compressed by \`gzip -9\`. Times are of Chromium without a graphics card, in a window of 1280x800.
${measuredOn()}

${table(['part', 'bytes', 'compressed', 'limit'], sizes)}
${table(['what', 'here', 'processor time', 'limit'], figures)}`;
}

const scrollRow = (what, { frames, tasks }) => [
  `longest frame while ${what}, ms; ${ROUNDS} rounds`,
  range(frames, 0),
  range(tasks, 0),
  FRAME_MS,
];

async function sizesOfParts() {
  const { files, script } = await pageFiles();
  const gzip = (text) => gzipSync(text, { level: 9 }).length;
  const rows = files.map(([name, text]) => [name.replace('page/', ''), Buffer.byteLength(text), gzip(text), '']);
  const sum = (column) => rows.reduce((total, row) => total + row[column], 0);
  const parts = Object.entries(script).reduce((found, [path, { bytesInOutput }]) => {
    const [part] = /^node_modules\/(?:@[\w-]+\/)?[\w-]+|^web\/(?:\w+\/)?|^\w+\//.exec(path);
    return found.set(part, (found.get(part) ?? 0) + bytesInOutput);
  }, new Map());
  return [
    ...rows,
    ['all', sum(1), sum(2), PAGE_BYTES],
    ...[...parts].sort(([, one], [, other]) => other - one).map(([part, bytes]) => [`page.js: ${part}`, bytes, '', '']),
  ];
}

/** Opens a room in a browser; `send` runs requests as the same caller. */
async function inRoom(work) {
  const folder = scratchFolder('bench-page');
  const words = [AISEC, 'serve', '--simulate', '--port', '0', '--rate', '1000000'];
  const ready = { url: /^AISEC_URL=(\S+)/m, token: /^AISEC_TOKEN=(\S+)/m, address: /(http\S+#code=\S+)/ };
  const { found, stop } = await startProgram(words, { ready, environment: { HOME: folder } });
  const browser = await launchBrowser();
  try {
    const send = async (path, body) => {
      const headers = { authorization: `Bearer ${found.token}`, 'content-type': 'application/json' };
      const response = await fetch(new URL(path, found.url), { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    };
    const { id } = await send('/v1/sessions', {});
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.addInitScript(WATCH);
    await page.goto(found.address);
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.evaluate(`location.hash = '#/room/${id}'`);
    const run = (line) => send(`/v1/sessions/${id}/lines`, { line });
    return await work({ page, run, id });
  } finally {
    await browser.close();
    await stop();
  }
}

/**
 * Notes when the page reads an event, and when a frame shows a text; and, on request, the length of each frame.
 * A frame ends when the next begins.
 */
const WATCH = `
const { read } = ReadableStreamDefaultReader.prototype;
ReadableStreamDefaultReader.prototype.read = async function () {
  const chunk = await read.call(this);
  const [, mark] = /event: entry[\\s\\S]*?(mark-\\d+)/.exec(typeof chunk.value === 'string' ? chunk.value : '') ?? [];
  if (mark !== undefined) awaited.set(mark, performance.now());
  return chunk;
};
const awaited = new Map();
globalThis.drawn = [];
globalThis.frames = [];
let last;
const look = (now) => {
  if (last !== undefined) frames.push(now - last);
  last = now;
  for (const [mark, since] of awaited)
    if (document.body.textContent.includes(mark)) {
      // Drawn when the frame ends.
      requestAnimationFrame(() => setTimeout(() => drawn.push(performance.now() - since)));
      awaited.delete(mark);
    }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);`;

/** Ends with the next frame. */
const FRAME = 'new Promise((done) => requestAnimationFrame(done))';

async function drawTimes({ page, run }) {
  await run('!aisec-runtime-topics-list limit=1');
  for (let count = 1; count <= TIMED; count += 1) {
    await run(`!aisec-runtime-scan profile_name=prod prompt="mark-${count}"`);
    while ((await page.evaluate('drawn.length')) < count) await page.evaluate(FRAME);
  }
  return page.evaluate('drawn');
}

async function scrollEntries({ page, run }) {
  for (let count = TIMED + 1; count < ENTRIES; count += 1) await run('!aisec-runtime-topics-list limit=1');
  await page.reload();
  await page.locator(`[aria-setsize="${ENTRIES}"]`).first().waitFor();
  return scrolled(page, '.entries-list');
}

/** The service never sends so many rows of a list at once, so the answer to the page is made longer on its way. */
async function scrollTable({ page, run, id }) {
  await page.route(`**/v1/sessions/${id}/entries/${ENTRIES + 1}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: withRows(await response.json()) });
  });
  await run('!aisec-redteam-scans-list');
  await page.evaluate(`location.hash = '#/room/${id}/${ENTRIES + 1}'`);
  const grid = `#entry-${ENTRIES + 1} [role=grid]`;
  await page.locator(`${grid}[aria-rowcount]`).waitFor();
  const rows = Number(await page.locator(grid).getAttribute('aria-rowcount'));
  if (rows < ROWS) throw new Error(`The table has only ${rows} rows.`);
  return scrolled(page, grid);
}

function withRows(detail) {
  const [table] = detail.tables;
  const rows = Array.from({ length: ROWS }, (_, at) => ({ ...table.rows[at % table.rows.length], name: `row ${at}` }));
  return { ...detail, count: ROWS, tables: [{ ...table, rows }] };
}

/**
 * Scrolls with the wheel, down and up; the first round is a warm-up.
 * @returns in milliseconds, the longest frame of each round, and the processor time of the longest task, which a busy machine
 * does not change
 */
async function scrolled(page, what) {
  await page.locator(what).hover();
  const [frames, tasks] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    await page
      .context()
      .browser()
      .startTracing(page, { categories: ['toplevel'] });
    await page.evaluate('void (frames.length = 0)');
    for (let step = 0; step < STEPS; step += 1) {
      await page.mouse.wheel(0, step < STEPS / 2 ? -STEP : STEP);
      await page.evaluate(FRAME);
    }
    const longest = Math.max(...(await page.evaluate('frames')));
    const trace = await page.context().browser().stopTracing();
    if (round === 0) continue;
    frames.push(longest);
    tasks.push(longestTask(JSON.parse(trace).traceEvents));
  }
  return { frames, tasks };
}

/** Returns the processor time of the longest task of the thread that draws the page, in milliseconds. */
function longestTask(events) {
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const isMain = ({ pid, tid }) => mains.some((main) => main.pid === pid && main.tid === tid);
  const times = events.filter((event) => event.tdur !== undefined && isMain(event)).map(({ tdur }) => tdur / 1000);
  return Math.max(...times);
}
