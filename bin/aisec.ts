/** The program: joins the registry and the simulated service with the command line. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { registry } from '../commands/index.ts';
import { isStopCode, main } from '../lib/hosts/terminal/shell/main.ts';
import { readCatalogue } from '../lib/manifest/catalogue.ts';
import type { PlaybookText } from '../lib/playbook/playbook.ts';
import { queue } from './queue.ts';
import { simulated } from './simulated.ts';
import { PROGRAM } from './subcommands.ts';

/** Set by the build. */
declare const AISEC_VERSION: string;

/** Time to flush the last output, in milliseconds. */
const LAST_FLUSH_MS = 200;

/** Reads a file that the build writes next to this one. */
const built = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** The files of the war room in the browser, with their media types. */
const PAGE_FILES = [
  ['index.html', 'text/html; charset=utf-8'],
  ['page.js', 'text/javascript; charset=utf-8'],
  ['page.css', 'text/css; charset=utf-8'],
] as const;

/** Starts this program again, without its own window; the new process outlives this one. */
function startDetached(argv: readonly string[]): void {
  const program = [...process.execArgv, process.argv[1] ?? '', ...argv];
  spawn(process.execPath, program, { detached: true, stdio: 'ignore', windowsHide: true })
    .on('error', () => undefined)
    .unref();
}

const { env: environment, stdin, stdout, stderr } = process;

let stoppedBy: NodeJS.Signals | undefined;

// process.exit would drop output that is not yet flushed.
void main(
  {
    argv: process.argv.slice(2),
    environment,
    stdin,
    stdout,
    stderr,
    registry,
    catalogue: async () => readCatalogue(built('catalogue.txt')),
    playbooks: async () => JSON.parse(built('playbooks.json')) as PlaybookText[],
    openApi: () => readFile(join(import.meta.dirname, '..', 'docs', 'api', 'openapi.json'), 'utf8'),
    page: async () => new Map(PAGE_FILES.map(([name, type]) => [name, { type, text: built(join('page', name)) }])),
    version: AISEC_VERSION,
    simulated,
    startDetached,
    queue,
    onStop: (signal) => {
      stoppedBy = signal;
    },
  },
  PROGRAM,
).then((code) => {
  process.exitCode = code;
  // Work that cannot be aborted, such as a DNS lookup, must not keep a stopped program alive.
  if (stoppedBy !== undefined || isStopCode(code)) setTimeout(() => process.exit(), LAST_FLUSH_MS).unref();
  // On exit, Node resets the terminal, and crashes if the terminal is gone.
  if (stoppedBy === 'SIGHUP') process.kill(process.pid, stoppedBy);
});
