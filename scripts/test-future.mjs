/** `npm run test:future`: runs the unit tests shortly before midnight on a leap day, with every case of their laws. */
import { spawnSync } from 'node:child_process';
import { ROOT } from './root.mjs';

const DAY = '2028-02-29 23:50:00';

const args = [DAY, 'npm', 'run', '--silent', 'unit', '--', ...process.argv.slice(2)];
// Only the wall clock is faked; durations are real.
const env = { AISEC_LAW_RUNS: '1', ...process.env, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
const { status, error } = spawnSync('faketime', args, { cwd: ROOT, env, stdio: 'inherit' });
if (error !== undefined) {
  console.error(
    `${error.message}: the tests cannot be run on another day.\nInstall faketime: apt-get install faketime (Debian, Ubuntu) or brew install libfaketime (macOS).`,
  );
}
process.exitCode = status ?? 1;
