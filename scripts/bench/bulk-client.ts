/** A process of its own that scans prompts against a service, and says what it took: time, requests, memory. */
import { readFileSync } from 'node:fs';
import { registry } from '../../commands/index.ts';
import type { Invocation } from '../../lib/arguments/lexer.ts';
import { dispatch } from '../../lib/dispatch.ts';
import { nodeClock } from '../../lib/hosts/terminal/clock.ts';
import { nodeFiles } from '../../lib/hosts/terminal/files.ts';
import { CONTEXT_LIMIT, type Runtime } from '../../lib/runtime.ts';
import { resolveSettings } from '../../lib/settings/settings.ts';
import { nodeTransport } from '../../lib/transport/node.ts';

const [how = '', file = '', directory = ''] = process.argv.slice(2);
const signal = new AbortController().signal;
const transport = nodeTransport({ insecure: false, proxy: false, signal });
let requests = 0;

const runtime: Runtime = {
  settings: resolveSettings({ environment: process.env }).settings,
  transport: {
    send: (request) => {
      requests += 1;
      return transport.send(request);
    },
  },
  clock: nodeClock(signal),
  log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
  tokens: { read: () => undefined, write: () => undefined },
  cancelled: () => false,
  budgetMs: 300_000,
  dryRun: false,
  files: nodeFiles(directory),
  contextLimit: CONTEXT_LIMIT,
  context: {},
  advice: { settings: '', time: '', commands: '' },
};

const run = (name: string, args: Readonly<Record<string, string>>) => {
  const pairs = Object.entries(args).map(([argument, value]) => ({ name: argument, value }));
  const invocation: Invocation = { name, pairs, positionals: [] };
  return dispatch(invocation, registry, runtime);
};

/** One prompt after the other, each with a request of its own: what a loop around the single scan does. */
async function serially(): Promise<number> {
  const prompts = readFileSync(file, 'utf8').trim().split('\n');
  for (const prompt of prompts) await run('aisec-runtime-scan', { profile_name: 'prod', prompt });
  return prompts.length;
}

async function inBulk(): Promise<number> {
  const args = { profile_name: 'prod', prompts_csv: 'file', entry_id: file };
  const { writes, failure } = await run('aisec-runtime-bulk-scan', args);
  const { total, errors } = (writes[0]?.value ?? { total: 0, errors: 1 }) as { total: number; errors: number };
  if (failure !== undefined || errors > 0) throw new Error(`${errors} errors: ${failure?.message}`);
  return total;
}

const start = process.hrtime.bigint();
const prompts = how === 'serially' ? await serially() : await inBulk();
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
await transport.close();
console.log(JSON.stringify({ prompts, seconds, requests, megabytes: process.resourceUsage().maxRSS / 1024 }));
