/** Runs the list of topics from line to text, with canned responses instead of a network. */

import { registry } from '../../commands/index.ts';
import { parseLine } from '../../lib/arguments/argv.ts';
import { readArguments } from '../../lib/arguments/read.ts';
import { runtimeOf } from '../../lib/client/runtime.ts';
import { dispatch } from '../../lib/engine/dispatch.ts';
import type { HttpRequest, HttpResponse } from '../../lib/engine/ports.ts';
import type { Result } from '../../lib/engine/result.ts';
import type { Runtime } from '../../lib/engine/runtime.ts';
import { measureFor } from '../../lib/hosts/terminal/render/measure.ts';
import { renderResult } from '../../lib/hosts/terminal/render/results.ts';
import { COLOUR } from '../../lib/hosts/terminal/render/style.ts';
import { resolveSettings } from '../../lib/settings/settings.ts';

/** Maximum page size of the plane. */
const PAGE = 100;
/** Columns of a wide terminal, where long cells take two lines. */
const WIDTH = 160;

export interface TopicList {
  /** Response bodies by page. */
  readonly answers: readonly string[];
  /** Parses the line, and reads and checks its arguments. */
  readArguments(): void;
  /** Runs the line: request, response, records, table, context. */
  run(): Promise<Result>;
  /** Renders the result for the platform or a terminal. */
  render(result: Result, format: 'markdown' | 'table' | 'json'): Promise<string>;
}

/**
 * Prepares a list.
 * @param rows number of records
 * @param isPlain false: every description has markup and wide characters
 */
export async function openTopicList(rows: number, isPlain = true): Promise<TopicList> {
  const answers: string[] = [];
  for (let start = 0; start < rows; start += PAGE) answers.push(answerFrom(start, rows, isPlain));
  const runtime = runtimeFor(answers);
  const name = 'aisec-runtime-topics-list';
  const line = `!${name} limit=${rows}`;
  const command = await registry[name]?.();
  if (command === undefined) throw new Error(`There is no command ${name}.`);
  return {
    answers,
    readArguments: () => void readArguments(command, parseLine(line), { context: runtime.context }),
    run: () => dispatch(parseLine(line), registry, runtime),
    render: async (result, format) => {
      const measure = await measureFor(format === 'table' ? result.readable : '');
      return renderResult(result, format, { terminal: format !== 'markdown', width: WIDTH, style: COLOUR, measure });
    },
  };
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
