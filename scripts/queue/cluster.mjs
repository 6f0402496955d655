/** Runs Redis, workers and coordinators as separate processes, which can be killed and restarted. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { AISEC, startProgram } from '../start-program.mjs';

/** Slots per worker. */
export const SLOTS = 4;

/** @param options `folder`, and `environment`, the settings of the service */
export async function openCluster(options) {
  return new Cluster(await freePort(), options);
}

class Cluster {
  #children = new Map();

  constructor(port, { folder, environment }) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.folder = folder;
    this.environment = { HOME: folder, ...environment, AISEC_QUEUE_URL: this.url };
  }

  redis() {
    const folder = join(this.folder, 'redis');
    mkdirSync(folder, { recursive: true });
    const where = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
    const kept = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'];
    const ready = { ready: /(Ready to accept)/ };
    return this.#start('redis', [...where, ...kept], { program: 'redis-server', ready });
  }

  worker(number) {
    const ready = { ready: /(waits for work)/ };
    return this.#start(`worker ${number}`, [AISEC, 'worker', '--slots', String(SLOTS)], { ready });
  }

  scan(file, more = '') {
    const line = `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=file entry_id=${file} output_file=out.jsonl ${more}`;
    return this.#start('coordinator', [AISEC, '--files-dir', this.folder, '--output', 'context', line]);
  }

  running(name) {
    return this.#children.get(name);
  }

  kill(name) {
    return this.running(name)?.stop('SIGKILL');
  }

  /** Pauses a process for a time, like a machine that is out of memory or being moved to another host. */
  async freeze(name, milliseconds) {
    const { child } = this.running(name) ?? {};
    child?.kill('SIGSTOP');
    try {
      await pause(milliseconds);
    } finally {
      child?.kill('SIGCONT');
    }
  }

  /** Peak memory of Redis, in megabytes. */
  async memory() {
    const { Redis } = await import('ioredis');
    const client = new Redis(this.url);
    const info = await client.info('memory');
    client.disconnect();
    return Number(/used_memory_peak:(\d+)/.exec(info)?.[1]) / 1e6;
  }

  async close() {
    for (const name of this.#children.keys()) await this.kill(name);
  }

  async #start(name, words, options = {}) {
    const running = await startProgram(words, { ...options, cwd: this.folder, environment: this.environment });
    this.#children.set(name, running);
    return running;
  }
}

/**
 * Reads a file of rows: their number, their digest without ids (which differ from run to run), and the last line.
 * @param left rows to leave out of the digest
 * @returns also `unknown`, the rows whose outcome is not known
 */
export async function digestOf(file, left = []) {
  if (!existsSync(file)) throw new Error(`there is no ${file}`);
  const sum = createHash('sha256');
  const skipped = new Set(left);
  const unknown = [];
  let [rows, end] = [0, {}];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const row = JSON.parse(line);
    if (row.aisec === 'bulk-end') {
      end = row;
      continue;
    }
    rows += 1;
    if (row.row !== rows) throw new Error(`row ${row.row} stands where ${rows} belongs`);
    if (row.status === 'unknown') unknown.push(rows);
    if (skipped.has(rows)) continue;
    for (const id of ['scan_id', 'report_id', 'session_id']) delete row[id];
    sum.update(`${JSON.stringify(row)}\n`);
  }
  return { rows, digest: sum.digest('hex'), end, unknown };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
