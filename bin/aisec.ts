/** The program: the registry on the terminal host. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../commands/index.ts';
import { main } from '../lib/cli/main.ts';
import type { AgentsRequest, HttpService, QueueService } from '../lib/hosts/terminal/host.ts';
import { STOPPED } from '../lib/hosts/terminal/modes/interrupt.ts';
import type { Catalogue } from '../lib/manifest/catalogue.ts';
import { readCatalogue } from '../lib/manifest/catalogue-text.ts';
import type { PlaybookText } from '../lib/playbook/playbook.ts';
import { queue } from './queue.ts';
import { simulated } from './simulated.ts';

/** Set by the build. */
declare const AISEC_VERSION: string;

/** Time to flush the last output, in milliseconds. */
const LAST_FLUSH_MS = 200;

/** Reads the catalogue for help and completion, which the build writes beside this file. */
async function catalogue(): Promise<Catalogue> {
  return readCatalogue(readFileSync(join(import.meta.dirname, 'catalogue.txt'), 'utf8'));
}

/** Starts this program again; it outlives this process. */
function startDetached(argv: readonly string[]): void {
  const program = [...process.execArgv, process.argv[1] ?? '', ...argv];
  spawn(process.execPath, program, { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
}

/** Serves agents; its modules are loaded on use. */
async function serveAgents(request: AgentsRequest): Promise<void> {
  const { note, signal, ...options } = request;
  const host = await import('../lib/hosts/mcp/main.ts');
  const parts = { registry, simulated, version: AISEC_VERSION, catalogue, playbooks, queue };
  await host.serveAgents(parts, options, { stdin: process.stdin, stdout: process.stdout, note, signal });
}

/** Serves over HTTP, and manages the tokens; its modules are loaded on use. */
const httpService: HttpService = {
  serve: async ({ onListening, warn, signal, ...options }) => {
    const host = await import('../lib/hosts/http/main.ts');
    await host.serve({ registry, simulated, version: AISEC_VERSION, playbooks, queue }, options, {
      onListening,
      warn,
      signal,
    });
  },
  addToken: async (request) => (await tokens()).addToken({ ...request, now: Date.now }),
  revokeToken: async (request) => (await tokens()).revokeToken({ ...request, now: Date.now }),
  listTokens: async (request) => (await tokens()).listTokens({ ...request, now: Date.now }),
};

const queueService: QueueService = {
  work: async ({ onReady, warn, signal, ...options }) => {
    const host = await import('../lib/hosts/worker/main.ts');
    await host.work({ registry, simulated, version: AISEC_VERSION }, options, { onReady, warn, signal });
  },
  report: async (address) => (await management()).readQueue(address, Date.now()),
  retry: async (address, id, dryRun) => (await management()).retryInQueue(address, id, dryRun),
  drop: async (address, id, dryRun) => (await management()).dropFromQueue(address, id, dryRun),
};

function management() {
  return import('../lib/runs/redis/manage.ts');
}

function tokens() {
  return import('../lib/hosts/http/access/manage.ts');
}

/** Reads the playbooks that ship with the program, which the build writes beside this file. */
async function playbooks(): Promise<readonly PlaybookText[]> {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'playbooks.json'), 'utf8')) as PlaybookText[];
}

// process.exit would drop output that is not flushed.
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
  startDetached,
  serveAgents,
  httpService,
  queue,
  queueService,
}).then((code) => {
  process.exitCode = code;
  // Work that cannot be aborted, such as a DNS lookup, must not keep a stopped program alive.
  if (code === STOPPED) setTimeout(() => process.exit(), LAST_FLUSH_MS).unref();
});
