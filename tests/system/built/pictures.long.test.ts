import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registry } from '../../../commands/index.ts';
import { OWN_VIEWS } from '../../../scripts/pictures/own-views.ts';
import { ROOT } from '../../support/program.ts';

test('every command and view of the terminal is drawn', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aisec-pictures-'));
  // A command with an unexpected exit code fails it, and its line and output are shown.
  execFileSync(process.execPath, ['--no-warnings', join(ROOT, 'scripts/pictures.mjs'), folder], { stdio: 'pipe' });
  expect(readdirSync(folder)).toHaveLength(Object.keys(registry).length + OWN_VIEWS.length + 1);
  rmSync(folder, { recursive: true });
});
