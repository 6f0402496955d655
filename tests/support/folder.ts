import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

afterAll(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
});

/** Creates an empty folder that is removed after the tests of the file. @param use a word for its name */
export function temporaryFolder(use: string): string {
  const path = mkdtempSync(join(tmpdir(), `aisec-${use}-`));
  made.push(path);
  return path;
}
