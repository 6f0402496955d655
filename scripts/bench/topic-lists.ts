/** Runs the list of topics from line to markdown, with canned responses instead of a network. */

import { registry } from '../../commands/index.ts';
import { parseLine } from '../../lib/arguments/argv.ts';
import { runtimeOf } from '../../lib/client/runtime.ts';
import type { HttpRequest, HttpResponse } from '../../lib/core/ports.ts';
import type { Runtime } from '../../lib/core/runtime.ts';
import { dispatch } from '../../lib/engine/dispatch.ts';
import { markdown } from '../../lib/output/markdown.ts';
import { resolveSettings } from '../../lib/settings/settings.ts';

/** Maximum page size of the plane. */
const PAGE = 100;

export interface TopicList {
  /** Response bodies by page. */
  readonly answers: readonly string[];
  /** Runs the line, and renders its result for a platform: request, response, records, context, markdown. */
  run(): Promise<string>;
}

/**
 * Prepares a list.
 * @param rows number of records
 * @param isPlain false: every description has markup and wide characters
 */
export function openTopicList(rows: number, isPlain = true): TopicList {
  const answers: string[] = [];
  for (let start = 0; start < rows; start += PAGE) answers.push(answerFrom(start, rows, isPlain));
  const runtime = runtimeFor(answers);
  const line = `!aisec-runtime-topics-list limit=${rows}`;
  return { answers, run: async () => markdown((await dispatch(parseLine(line), registry, runtime)).readable) };
}

function answerFrom(start: number, rows: number, isPlain: boolean): string {
  const end = Math.min(rows, start + PAGE);
  const topics = Array.from({ length: end - start }, (_, index) => topic(start + index, isPlain));
  return JSON.stringify({ custom_topics: topics, ...(end < rows ? { next_offset: end } : {}) });
}

function topic(index: number, isPlain: boolean) {
  const about = isPlain ? 'in a sentence of ordinary length' : 'with *marks* | <tags> and 日本語 among its words';
  return {
    topic_id: `9c5b94b1-35ad-49bb-b118-8e8fc24a${String(10_000 + index).slice(-4)}`,
    topic_name: `topic ${index}`,
    revision: index,
    description: `What topic number ${index} is about, ${about}.`,
    examples: [`A first example prompt of ${index}, with a comma.`, 'A second example prompt.'],
    last_modified_ts: `2026-11-21T12:00:${String(10 + (index % 50))}.123Z`,
    tsg_id: '1000000001',
  };
}

const TOKEN = JSON.stringify({ access_token: 'not-a-secret', expires_in: 900 });
const SETTINGS = {
  AISEC_BASE_URL: 'https://example.com',
  AISEC_CLIENT_ID: 'a',
  AISEC_CLIENT_SECRET: 'b',
  AISEC_TSG_ID: '1',
};

function runtimeFor(answers: readonly string[]): Runtime {
  const nothing = () => Promise.reject(new Error('no files here'));
  const ok = (body = ''): HttpResponse => ({ status: 200, headers: {}, body });
  const answerTo = ({ method, url }: Pick<HttpRequest, 'method' | 'url'>) =>
    method === 'POST' ? TOKEN : answers[Number(/[?&]offset=(\d+)/.exec(url)?.[1] ?? 0) / PAGE];
  let token: Readonly<Record<string, string>> | undefined;
  return runtimeOf({
    settings: resolveSettings({ environment: SETTINGS }).settings,
    transport: { send: (request) => Promise.resolve(ok(answerTo(request))) },
    clock: {
      now: () => Date.now(),
      elapsed: () => performance.now(),
      random: () => 0.5,
      wait: () => Promise.resolve(),
    },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
    tokens: {
      read: () => token,
      write: (next) => {
        token = next;
      },
    },
    budgetMs: 60_000,
    files: { find: nothing, read: nothing, create: nothing, journal: nothing },
    // No list is truncated, so lists of every length take the same path.
    contextLimit: Number.POSITIVE_INFINITY,
    context: {},
    advice: { settings: '', time: '', commands: '' },
  });
}
