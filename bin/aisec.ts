/** The only file that joins registry, dispatcher and the terminal host. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../commands/index.ts';
import { STOPPED } from '../lib/hosts/terminal/interrupt.ts';
import { main } from '../lib/hosts/terminal/main.ts';
import type { Catalogue } from '../lib/manifest/catalogue.ts';
import { readCatalogue } from '../lib/manifest/catalogue-text.ts';
import { simulated } from './simulated.ts';

/** Set when the program is built. */
declare const AISEC_VERSION: string;

/** Time for what was said last to reach its reader, in milliseconds. */
const LAST_WORDS_MS = 200;

/** What help and completion need of all commands; written beside this file when the program is built. */
async function catalogue(): Promise<Catalogue> {
  return readCatalogue(readFileSync(join(import.meta.dirname, 'catalogue.txt'), 'utf8'));
}

// Not process.exit: what was written must reach its reader first.
void main({
  argv: process.argv.slice(2),
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  registry,
  catalogue,
  version: AISEC_VERSION,
  simulated,
}).then((code) => {
  process.exitCode = code;
  // What cannot be called off, such as the look-up of a name, would hold a program that was stopped.
  if (code === STOPPED) setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
});
