/** Runs the list of topics from line to markdown, with a canned response instead of a network. */

import { registry } from '../../commands/index.ts';
import { parseLine } from '../../lib/arguments/argv.ts';
import type { HttpRequest } from '../../lib/core/ports.ts';
import { dispatch } from '../../lib/engine/dispatch.ts';
import { markdown } from '../../lib/output/markdown.ts';
import { warRoom } from '../../tests/support/simulated.ts';

export interface TopicList {
  /** The response body. */
  readonly answer: string;
  /** Runs the line, and renders its result for a platform: request, response, records, context, markdown. */
  run(): Promise<string>;
}

const TOKEN = JSON.stringify({ access_token: 'not-a-secret', expires_in: 900 });

/**
 * Prepares a list.
 * @param rows number of records, at most a page of the plane
 * @param isPlain false: every description has markup and wide characters
 */
export function openTopicList(rows: number, isPlain = true): TopicList {
  const answer = JSON.stringify({ custom_topics: Array.from({ length: rows }, (_, index) => topic(index, isPlain)) });
  const send = async ({ method }: HttpRequest) => ({
    status: 200,
    headers: {},
    body: method === 'POST' ? TOKEN : answer,
  });
  const runtime = { ...warRoom().runtime, transport: { send } };
  const line = `!aisec-runtime-topics-list limit=${rows}`;
  return { answer, run: async () => markdown((await dispatch(parseLine(line), registry, runtime)).readable) };
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
