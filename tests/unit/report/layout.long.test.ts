import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { MODEL_SCANS } from '../gate/support.ts';
import { browser, openInBrowser } from './browser.ts';
import { run } from './support.ts';

const { jobs } = RED_TEAM_IDS;
const WIDTHS = [360, 620, 700, 920, 1280];
/** A4 without its margins. */
const PAPER = 688;

/** Lists words on several lines, and what is wider than its frame. */
const LOOK = `
for (const frame of document.querySelectorAll('iframe')) {
  const { document: page, innerWidth } = frame.contentWindow;
  const found = (text) => { document.querySelector('pre').textContent += frame.title + ': ' + text + '\\n'; };
  const wide = page.documentElement.scrollWidth - innerWidth;
  if (wide > 0) found(wide + ' pixels too wide');
  const texts = page.createTreeWalker(page.querySelector('body'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data } = texts.currentNode;
    for (const { 0: whole, index: start } of data.matchAll(/\\S+/g)) {
      if (whole.includes('/')) continue;
      for (const { 0: word, index } of whole.matchAll(/\\p{L}{2,20}/gu)) {
        const range = page.createRange();
        range.setStart(texts.currentNode, start + index);
        range.setEnd(texts.currentNode, start + index + word.length);
        if (new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size > 1) found('broken: ' + word);
      }
    }
  }
}
document.querySelector('pre').textContent += 'looked';`;

if (browser === undefined) process.stdout.write('skipped: no chromium is installed to lay out a page in\n');

(browser === undefined ? describe.skip : describe)('at every width and on paper', () => {
  test.each([
    { what: 'a static scan', words: ['report', jobs.static] },
    { what: 'a dynamic scan', words: ['report', jobs.dynamic] },
    { what: 'a custom scan', words: ['report', jobs.custom] },
    { what: 'a comparison', words: ['compare', jobs.earlierStatic, jobs.static] },
    { what: 'a model scan', words: ['report', MODEL_SCANS.blocked] },
    { what: 'a bulk scan', words: ['report', '{folder}/run.jsonl'] },
    { what: 'a tenant', words: ['dashboard'] },
  ])('the page of $what breaks no word, and nothing is wider than it', async ({ words }) => {
    const folder = temporaryFolder('layout');
    const row = { row: 1, action: 'block', prompt: 'one', prompt_detected: { url_cats: true, injection: true } };
    writeFileSync(join(folder, 'run.jsonl'), `${JSON.stringify(row)}\n`);
    const file = join(folder, 'page.html');
    await run([...words.map((word) => word.replace('{folder}', folder)), '--html', file]);
    const page = readFileSync(file, 'utf8');
    writeFileSync(
      join(folder, 'paper.html'),
      page.replaceAll('@media screen', '@media tty').replaceAll('@media print', '@media all'),
    );
    const frames = [...WIDTHS.map((width) => ['page.html', width] as const), ['paper.html', PAPER] as const].map(
      ([name, width]) =>
        `<iframe src="${name}" title="${name} at ${width}" style="width:${width}px;height:900px;border:0"></iframe>`,
    );
    const all = join(folder, 'all.html');
    writeFileSync(
      all,
      `<!DOCTYPE html><body>${frames.join('')}<pre></pre><script>onload = () => {${LOOK}}</script></body>`,
    );
    const { document } = await openInBrowser(all, ['--allow-file-access-from-files', '--hide-scrollbars']);
    const [, found = ''] = /<pre>([^<]*)looked<\/pre>/.exec(document) ?? [];
    expect(document).toContain('looked</pre>');
    expectNone(found.split('\n').filter(Boolean), 'broken words and wide parts');
  });
});
