/** Size of the war room in the browser: what a browser loads, and what a developer reads. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pageFiles } from '../../../scripts/build/page.mjs';
import { ROOT } from '../../support/program.ts';

const MAX_BYTES = 60_000;
const MAX_LINES = 5_120;

test(`the page has at most ${MAX_BYTES} bytes, compressed`, async () => {
  const { files } = await pageFiles();
  expect(files.map(([name]) => name).sort()).toEqual(['page/index.html', 'page/page.css', 'page/page.js']);
  const bytes = files.map(([, text]) => gzipSync(text, { level: 9 }).length);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(MAX_BYTES);
});

test(`the page has at most ${MAX_LINES} lines of source, with its styles`, () => {
  const folder = join(ROOT, 'web');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
  const lines = names.map((name) => readFileSync(join(folder, name), 'utf8').split('\n').length - 1);
  expect(lines.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(MAX_LINES);
});
