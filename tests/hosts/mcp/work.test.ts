/** Long-running work, many calls at once, and large results. */

import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import type { Later } from '../../../lib/hosts/mcp/agent.ts';
import { MAX_TEXT_BYTES } from '../../../lib/hosts/mcp/content.ts';
import { PAUSE_MS, throttled } from '../../../lib/hosts/mcp/run-command.ts';
import { until } from '../../support/machine.ts';
import { heldService } from '../../system/interrupts/held-service.ts';
import { callTool, closeConnectionsAfterEach, connect, ERAS, listen } from './support.ts';

closeConnectionsAfterEach();

const JOB = {
  command: 'aisec-redteam-scan-create',
  arguments: {
    name: 'nightly',
    target_uuid: RED_TEAM_IDS.targets.supportChatbot,
    categories: { SECURITY: { JAILBREAK: true } },
    wait: true,
  },
};

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A timer that only the test fires. */
function manualTimer() {
  let [now, due, run] = [0, Number.POSITIVE_INFINITY, () => undefined as unknown];
  const later: Later = (milliseconds, what) => {
    [due, run] = [now + milliseconds, what];
    return () => {
      due = Number.POSITIVE_INFINITY;
    };
  };
  const to = async (time: number) => {
    while (due <= time) {
      now = due;
      due = Number.POSITIVE_INFINITY;
      run();
      // Notifications are written in a later turn.
      await turn();
    }
    now = time;
  };
  return { later, to, now: () => now, isWaiting: () => due < Number.POSITIVE_INFINITY };
}

describe('progress', () => {
  test.each([
    { what: 'a line', said: [0], sent: [[0, 'at 0']] },
    {
      what: 'two lines at once',
      said: [0, 0],
      sent: [
        [0, 'at 0'],
        [500, 'at 0'],
      ],
    },
    {
      what: 'many lines',
      said: [0, 100, 200, 499, 700, 1100],
      sent: [
        [0, 'at 0'],
        [500, 'at 499'],
        [1000, 'at 700'],
        [1500, 'at 1100'],
      ],
    },
  ])('of $what is sent at most every half second, always with the last line', async ({ said, sent }) => {
    const { later, to, now } = manualTimer();
    const messages: unknown[] = [];
    const progress = throttled(async (message, count) => messages.push([now(), message, count]), later);
    for (const time of said) {
      await to(time);
      progress.say(`at ${time}`);
      await turn();
    }
    await to((said.at(-1) ?? 0) + PAUSE_MS);
    await progress.end();
    expect(messages).toEqual(sent.map((each, at) => [...each, at + 1]));
  });

  test('waits at its end until all messages are written, sends no more, and leaves no timer', async () => {
    const { later, isWaiting } = manualTimer();
    const written: string[] = [];
    let write = (): void => undefined;
    const progress = throttled(
      (message) =>
        new Promise<void>((resolve) => {
          write = () => {
            written.push(message);
            resolve();
          };
        }),
      later,
    );
    progress.say('first');
    progress.say('second');
    const ended = progress.end().then(() => written.push('end'));
    await turn();
    expect(written).toEqual([]);
    write();
    await ended;
    expect({ written, isWaiting: isWaiting() }).toEqual({ written: ['first', 'end'], isWaiting: false });
  });

  test('that cannot be written does not fail the call', async () => {
    const progress = throttled(() => Promise.reject(new Error('closed')), manualTimer().later);
    progress.say('lost');
    await expect(progress.end()).resolves.toBeUndefined();
  });

  test.each(ERAS)('of a job arrives before its result, over %s', async (era) => {
    const { client } = await connect({
      era,
      // Time passes only during waits, so half a second is over at the next turn.
      later: (_, run) => {
        const pending = setImmediate(run);
        return () => clearImmediate(pending);
      },
    });
    const arrived: string[] = [];
    let last = 0;
    const onprogress = ({ progress, message = '' }: { progress: number; message?: string | undefined }) => {
      expect(progress).toBeGreaterThan(last);
      last = progress;
      arrived.push(message);
    };
    const result = await callTool(client, 'aisec_change', JOB, { onprogress });
    const before = [...arrived];
    expect({ text: result.text, isError: result.isError }).toMatchObject({ isError: false });
    expect(before.length).toBeGreaterThan(1);
    await client.listTools();
    expect(arrived).toEqual(before);
  });
});

function milestone() {
  let reached = (): void => undefined;
  const isReached = new Promise<void>((resolve) => {
    reached = () => resolve();
  });
  return { reached, isReached };
}

/** Calls, and the request of the service during which they are cancelled. */
const CANCELLED = [
  { what: 'the request of a token', request: 1, tool: 'aisec_read', args: { command: 'aisec-runtime-topics-list' } },
  { what: 'the creation of a job', request: 2, tool: 'aisec_change', args: JOB },
  { what: 'a wait for a job', request: 3, tool: 'aisec_change', args: JOB },
];

describe.each(ERAS)('over %s', (era) => {
  test.each(CANCELLED)(
    'cancelling $what ends its request, sends nothing more, and serves the next call',
    async ({ request, tool, args }) => {
      const { reached, isReached } = milestone();
      const service = await heldService({}, { request, step: 'asked' }, reached);
      try {
        const { client, call } = await connect({ era, client: { simulate: false, environment: service.settings } });
        const strays: unknown[] = [];
        client.onerror = (error) => strays.push(error.message);
        const cancelling = new AbortController();
        const running = callTool(client, tool, args, { signal: cancelling.signal });
        await isReached;
        cancelling.abort();
        await expect(running).rejects.toThrow(/abort|cancel/i);
        await until(
          () => service.open() === 0,
          () => `${service.open()} connections stay open`,
        );
        const sent = service.requests();
        for (let turn = 0; turn < 5; turn += 1) await call('aisec_search', { words: 'scan a prompt' });
        expect({ sent: service.requests(), strays }).toEqual({ sent, strays: [] });
        service.release();
        const next = await call('aisec_read', { command: 'aisec-runtime-profiles-list' });
        expect({ text: next.text, isError: next.isError }).toMatchObject({ isError: false });
      } finally {
        await service.close();
      }
    },
  );

  test('cancelling over HTTP ends the request to the service', async () => {
    const { reached, isReached } = milestone();
    const service = await heldService({}, { request: 1, step: 'asked' }, reached);
    const server = await listen({ client: { simulate: false, environment: service.settings } });
    try {
      const client = await server.connect(era);
      const cancelling = new AbortController();
      const running = callTool(
        client,
        'aisec-runtime-scan',
        { profile_name: 'prod', prompt: 'hello' },
        { signal: cancelling.signal },
      );
      await isReached;
      cancelling.abort();
      await expect(running).rejects.toThrow(/abort|cancel/i);
      // A 2025 client cancels with a separate request, which a stateless server cannot match to the first one.
      if (era === '2025-11-25') await client.close();
      await until(
        () => service.open() === 0,
        () => `${service.open()} connections stay open`,
      );
      expect(service.requests()).toBe(1);
    } finally {
      await server.close();
      await service.close();
    }
  });

  test('fifty concurrent calls over one connection each get their own answer', async () => {
    const { call } = await connect({ era });
    const kinds = [
      async (at: number) => {
        const { structured } = await call('aisec-runtime-scan', {
          profile_name: 'prod',
          prompt: 'hi',
          tr_id: `id-${at}`,
        });
        expect(structured).toMatchObject({ outputs: { 'AiSec.RuntimeScan': { tr_id: `id-${at}` } } });
      },
      async (at: number) => {
        const { text, isError } = await call('aisec_read', { command: `aisec-no-command-${at}` });
        expect({ text, isError }).toEqual({ text: expect.stringContaining(`aisec-no-command-${at}"`), isError: true });
      },
      async (at: number) => {
        const { structured } = await call('aisec_change', {
          command: 'aisec-runtime-topics-create',
          arguments: { topic_name: `topic ${at}`, description: 'Of one call.', examples: ['a', 'b'] },
        });
        expect(structured).toMatchObject({ outputs: { 'AiSec.TopicCreate': { topic_name: `topic ${at}` } } });
      },
      async (at: number) => {
        const { structured } = await call('aisec_read', {
          command: 'aisec-redteam-report-attacks-list',
          arguments: { job_id: RED_TEAM_IDS.jobs.static, limit: 1 + (at % 9) },
        });
        expect(structured).toMatchObject({ outputs: { 'AiSec.RedTeamAttack': { length: 1 + (at % 9) } } });
      },
      async () => {
        const { structured } = await call('aisec_describe', { command: 'aisec-runtime-topics-list' });
        expect(structured).toMatchObject({ name: 'aisec-runtime-topics-list' });
      },
    ];
    await Promise.all(Array.from({ length: 50 }, async (_, at) => kinds[at % kinds.length]?.(at)));
  });
});

test('a result above the limit is truncated, and its resource has all records', async () => {
  const { client, call } = await connect();
  const filler = 'x'.repeat(200);
  const creations = Array.from({ length: 60 }, (_, at) =>
    call('aisec_change', {
      command: 'aisec-runtime-topics-create',
      arguments: { topic_name: `large ${at}`, description: filler, examples: [`a${filler}`, `b${filler}`] },
    }),
  );
  for (const { text, isError } of await Promise.all(creations))
    expect({ text, isError }).toMatchObject({ isError: false });
  const whole = await call('aisec_read', { command: 'aisec-runtime-topics-list', arguments: { limit: 1000 } });
  expect({ text: whole.text, isError: whole.isError }).toMatchObject({ isError: false });
  const { outputs, truncated, files } = whole.structured as {
    outputs: Record<string, readonly { topic_id: string }[]>;
    truncated: { kept: number; total: number };
    files: readonly { uri: string; name: string }[];
  };
  const kept = outputs['AiSec.Topic'] ?? [];
  expect(Buffer.byteLength(whole.text)).toBeLessThan(MAX_TEXT_BYTES + 1000);
  expect(whole.text).toContain('The text is cut here. The files below have all of it.');
  expect(truncated).toMatchObject({ kept: kept.length, total: expect.any(Number) });
  expect(truncated.total).toBeGreaterThan(truncated.kept);
  const link = whole.content.find(({ type }) => type === 'resource_link');
  expect(link?.uri).toBe(files[0]?.uri);
  const { contents } = await client.readResource({ uri: link?.uri ?? '' });
  const [content] = contents as { text: string }[];
  const records = (content?.text ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { topic_id: string });
  expect(records).toHaveLength(truncated.total);
  expect(new Set(records.map(({ topic_id }) => topic_id)).size).toBe(truncated.total);
  expect(records.slice(0, kept.length)).toEqual(kept);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain(link?.uri);
});
