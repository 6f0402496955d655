import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { MODEL_SCANS } from '../gate/support.ts';
import { browser, openInBrowser } from '../report/browser.ts';
import { run } from '../report/support.ts';

const BULK = `${JSON.stringify({ row: 1, action: 'block', prompt: '<b onclick="x">', prompt_detected: { dlp: true } })}\n`;

if (browser === undefined) process.stdout.write('skipped: no chromium is installed to open a page in\n');

(browser === undefined ? describe.skip : describe)('in a browser', () => {
  test.each([
    { what: 'the dashboard', words: ['dashboard'], text: 'What needs attention' },
    { what: 'the page of a model scan', words: ['report', MODEL_SCANS.blocked], text: 'No code on load' },
    { what: 'the page of a bulk scan', words: ['report', '{folder}/run.jsonl'], text: 'Blocked prompts' },
  ])('$what opens without an error, and is what was written', async ({ words, text }) => {
    const folder = temporaryFolder('browser');
    writeFileSync(join(folder, 'run.jsonl'), BULK);
    const file = join(folder, 'page.html');
    await run([...words.map((word) => word.replace('{folder}', folder)), '--html', file]);
    const opened = await openInBrowser(file);
    expect(opened.console).toEqual([]);
    expect(opened.document).toContain(text);
    expect(opened.document).not.toContain('<b onclick');
  });

  test('a broken policy of the page would be seen', async () => {
    const file = join(temporaryFolder('browser'), 'page.html');
    const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`;
    writeFileSync(file, `<!DOCTYPE html><html><head>${policy}</head><body><script>1</script></body></html>`);
    expect((await openInBrowser(file)).console).not.toEqual([]);
  });
});
