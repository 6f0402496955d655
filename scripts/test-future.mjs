/** `npm run test:future`: the unit tests under a clock that is close to midnight, on a day that few years have. */
import { spawnSync } from 'node:child_process';
import { ROOT } from './root.mjs';

const DAY = '2028-02-29 23:50:00';

const words = [DAY, 'npm', 'run', '--silent', 'unit', '--', ...process.argv.slice(2)];
// What is waited for is waited for as long as ever: only the time of day is another one.
const env = { ...process.env, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
const { status, error } = spawnSync('faketime', words, { cwd: ROOT, env, stdio: 'inherit' });
if (error !== undefined) {
  console.error(
    `${error.message}: the tests cannot be run on another day.\nInstall faketime: apt-get install faketime (Debian, Ubuntu) or brew install libfaketime (macOS).`,
  );
}
process.exitCode = status ?? 1;
