/** Redis, workers and coordinators as processes of their own, which can be killed and started again. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AISEC, startProgram } from '../start-program.mjs';

/** @param options `folder`, and `environment`, the settings of the service */
export async function openCluster({ folder, environment, slots = 4, fsync = 'everysec' }) {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const redisFolder = join(folder, 'redis');
  mkdirSync(redisFolder, { recursive: true });
  const children = new Map();
  const start = async (name, words, options = {}) => {
    const own = { HOME: folder, ...environment, AISEC_QUEUE_URL: url };
    const running = await startProgram(words, { ...options, cwd: folder, environment: own });
    children.set(name, running);
    return running;
  };

  const redis = () => {
    const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', redisFolder, '--save', ''];
    const kept = ['--appendonly', 'yes', '--appendfsync', fsync, '--maxmemory-policy', 'noeviction'];
    const ready = { ready: /(Ready to accept)/ };
    return start('redis', [...where, ...kept], { program: 'redis-server', ready });
  };
  const worker = (number, ...words) =>
    start(`worker ${number}`, [AISEC, 'worker', '--slots', String(slots), ...words], {
      ready: { ready: /(waits for work)/ },
    });
  const scan = (file, more = '') => {
    const line = `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=file entry_id=${file} output_file=out.jsonl ${more}`;
    return start('coordinator', [AISEC, '--files-dir', folder, '--output', 'context', line]);
  };
  const kill = (name) => children.get(name)?.stop('SIGKILL');
  /** Stops a process for a time, as a machine does that is out of memory or moved to another host. */
  const freeze = async (name, milliseconds) => {
    const { child } = children.get(name) ?? {};
    child?.kill('SIGSTOP');
    try {
      await pause(milliseconds);
    } finally {
      child?.kill('SIGCONT');
    }
  };
  return {
    ...{ redis, worker, scan, kill, freeze },
    running: (name) => children.get(name),
    /** Peak and current memory of Redis, in megabytes. */
    memory: async () => {
      const { Redis } = await import('ioredis');
      const client = new Redis(url);
      const info = await client.info('memory');
      client.disconnect();
      const figure = (name) => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1] ?? 0) / 1e6;
      return { peak: figure('used_memory_peak'), now: figure('used_memory') };
    },
    close: async () => {
      for (const name of children.keys()) await kill(name);
    },
  };
}

/**
 * Reads a file of rows: their number and digest without ids, which differ from run to run, and the last line.
 * @param left rows whose digest does not count
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

export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
