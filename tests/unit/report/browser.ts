import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { environmentOfRealTime } from '../../support/machine.ts';

/** After this it has not much to do, but hangs. */
const HANGS_MS = 150_000;

/** The browser of this machine; undefined without a browser. */
export const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore', env: environmentOfRealTime() }).status === 0,
);

const QUIET = [
  '--headless',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-extensions',
  '--enable-logging=stderr',
];

export interface Opened {
  /** The document after it was opened, as the browser writes it. */
  document: string;
  /** Lines of its console: errors, and violations of the page's content security policy. */
  console: string[];
}

/** Opens a file in the browser, and waits until it is there. @param more options of the browser */
export async function openInBrowser(file: string, more: readonly string[] = []): Promise<Opened> {
  if (browser === undefined) throw new Error('there is no browser');
  const profile = mkdtempSync(join(tmpdir(), 'aisec-browser-'));
  // The sandbox of the browser refuses to work for root, which tests in a container are.
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const words = [...QUIET, ...root, ...more, `--user-data-dir=${profile}`, '--dump-dom', pathToFileURL(file).href];
  const child = spawn(browser, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Under a clock that is not the machine's the browser waits for ever.
    env: environmentOfRealTime(),
    timeout: HANGS_MS,
  });
  const texts = { document: '', errors: '' };
  child.stdout.on('data', (chunk) => {
    texts.document += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    texts.errors += String(chunk);
  });
  await new Promise((resolve) => child.on('close', resolve));
  rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  return { document: texts.document, console: texts.errors.split('\n').filter((line) => /CONSOLE/.test(line)) };
}
