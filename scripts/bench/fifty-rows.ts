import { registry } from '../../commands/index.ts';
import { parseLine } from '../../lib/arguments/argv.ts';
import { dispatch } from '../../lib/dispatch.ts';
import { markdown } from '../../lib/output/markdown.ts';
import type { HttpResponse } from '../../lib/ports.ts';
import { CONTEXT_LIMIT, type Runtime } from '../../lib/runtime.ts';
import { resolveSettings } from '../../lib/settings/settings.ts';

const topic = (index: number) => ({
  topic_id: `9c5b94b1-35ad-49bb-b118-8e8fc24a${String(1000 + index)}`,
  topic_name: `topic ${index}`,
  revision: index,
  description: 'What this topic is about, in a sentence of ordinary length.',
  examples: ['A first example prompt, with a comma.', 'A second example prompt.'],
  last_modified_ts: '2026-11-21T12:00:00.123Z',
  tsg_id: '1000000001',
});
const ANSWER = JSON.stringify({ custom_topics: Array.from({ length: 50 }, (_, index) => topic(index)) });
const TOKEN = JSON.stringify({ access_token: 'not a secret', expires_in: 900 });

const ok = (body: string): HttpResponse => ({ status: 200, headers: {}, body });
const nothing = () => Promise.reject(new Error('no files here'));
const { settings } = resolveSettings({
  environment: {
    AISEC_BASE_URL: 'https://example.com',
    AISEC_CLIENT_ID: 'a',
    AISEC_CLIENT_SECRET: 'b',
    AISEC_TSG_ID: '1',
  },
});

const runtime: Runtime = {
  settings,
  transport: { send: (request) => Promise.resolve(ok(request.method === 'POST' ? TOKEN : ANSWER)) },
  clock: { now: () => Date.now(), random: () => 0.5, wait: () => Promise.resolve() },
  log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
  tokens: { read: () => undefined, write: () => undefined },
  cancelled: () => false,
  budgetMs: 60_000,
  dryRun: false,
  files: { find: nothing, read: nothing, create: nothing, journal: nothing },
  contextLimit: CONTEXT_LIMIT,
  context: {},
  advice: { settings: '', time: '', commands: '' },
};

/** Runs the command so many times, as a war room would. */
export async function fiftyRows(runs: number): Promise<void> {
  for (let run = 0; run < runs; run += 1) {
    const result = await dispatch(parseLine('!aisec-runtime-topics-list limit=50'), registry, runtime);
    if (!markdown(result.readable).includes('topic 49')) throw new Error('the table lacks a row');
  }
}

/** What it is compared with. */
export function parseOnly(runs: number): void {
  for (let run = 0; run < runs; run += 1) JSON.parse(ANSWER);
}
