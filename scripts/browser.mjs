/** Starts this machine's Chromium for tests, pictures and benchmarks of the war room. It reaches this machine only. */
import { spawnSync } from 'node:child_process';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const ARGUMENTS = [
  // The browser's sandbox does not work for root, and tests in a container run as root.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  ...['--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update'],
];

/** Returns the path of the browser; undefined if none is installed. @param env its environment */
export function findBrowser(env = process.env) {
  for (const name of NAMES) {
    const { status, stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8', env });
    if (status === 0) return stdout.trim();
  }
  return undefined;
}

/** Starts the browser. @param env its environment @throws if none is installed */
export function launchBrowser(env = process.env) {
  const executablePath = findBrowser(env);
  if (executablePath === undefined) throw new Error('No Chromium is installed (apt-get install chromium).');
  return chromium.launch({ executablePath, args: ARGUMENTS, env });
}
