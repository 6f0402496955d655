/** Creates temporary folders for scripts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Exit code after SIGINT. */
const STOPPED = 130;

/** Creates a folder that is removed when the process ends, even after a signal. @param use a word for its name */
export function scratchFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), `aisec-${use}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // By default, a signal ends a process without its exit handlers.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(STOPPED));
  return folder;
}
