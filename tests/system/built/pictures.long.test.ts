import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../../support/program.ts';

test('the pictures of docs/screens.md show real output', () => {
  const script = [join(ROOT, 'scripts/pictures.mjs'), '--check'];
  // A stale picture fails it with the name of the file, and the command that draws it again.
  execFileSync(process.execPath, ['--no-warnings', ...script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
});
