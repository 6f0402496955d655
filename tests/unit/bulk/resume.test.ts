import { CancelledError, ConfigurationError, ConflictError } from '../../../lib/core/errors.ts';
import type { Files, HttpRequest, Journal, LineFile, Transport } from '../../../lib/core/ports.ts';
import type { Runtime } from '../../../lib/core/runtime.ts';
import { gateBulk } from '../../../lib/features/gate/gates.ts';
import { textReader } from '../../../lib/runtime/bulk/lines.ts';
import { markdown } from '../../../lib/runtime/output/markdown.ts';
import type { Result } from '../../../lib/runtime/output/result.ts';
import { lostConnection, refused } from '../../../lib/runtime/transport/failures.ts';
import {
  argsFor,
  type BulkRoom,
  bulkRoom,
  instantly,
  linesIn,
  notesOf,
  outcomeOf,
  promptsFor,
  refusal,
  valueIn,
} from '../../commands/runtime/bulk-room.ts';
import { expectNone } from '../../support/expect-none.ts';
import { memoryFiles } from '../../support/files.ts';
import { shareOf, someOf } from '../../support/runs.ts';
import { stoppedWhen } from '../../support/stop.ts';
import { scenario } from '../../system/scenarios/claims.ts';

type Checkpoint = NonNullable<Result['suspension']>['checkpoint'];

const PROMPTS = promptsFor(165);
/** A service so slow that results arrive while prompts are still being sent. */
const SLOW = { latencyMs: 120, processingMs: 300 };
/** One request at a time, so that the state after a number of requests is always the same. */
const SLOWLY = 'concurrency=1';
const partialIn = (contents: Readonly<Record<string, string>>) =>
  Object.entries(contents).find(([name]) => name.endsWith('.partial.jsonl'))?.[1];

/** A user who stops the run after this many requests, which aborts the requests in progress. */
function stopAfter(count: number, { transport }: BulkRoom): Pick<Runtime, 'stop' | 'transport'> {
  let sent = 0;
  const send = async (request: HttpRequest) => {
    sent += 1;
    if (sent > count) throw new CancelledError('Stopped.');
    const response = await transport.send(request);
    if (sent > count) throw new CancelledError('Stopped.');
    return response;
  };
  return { stop: stoppedWhen(() => sent > count), transport: { send } };
}

describe('a bulk scan that the user stops', () => {
  scenario.each(
    someOf(
      Array.from({ length: 12 }, (_, count) => ({ count })),
      2,
    ),
  )(
    'abort',
    'after $count requests keeps its results, ends with 130, and resume=true completes it',
    async ({ count }) => {
      const bulk = bulkRoom(SLOW);
      const expected = await bulkRoom().value(argsFor(PROMPTS, SLOWLY));
      const stop = stopAfter(count, bulk);
      const stopped = await bulk.run(argsFor(PROMPTS, SLOWLY), stop).catch((thrown: unknown) => thrown);
      if (stopped instanceof Error) {
        // No prompt had been accepted.
        expect(stopped).toMatchObject({ exitCode: 130 });
        expect(bulk.files.contents).toEqual({});
      } else {
        const { failure, writes } = stopped as Result;
        const done = valueIn(stopped as Result);
        expect(writes).toHaveLength(1);
        expect(failure).toMatchObject({ exitCode: 130, message: `Stopped after ${done.total} prompts.` });
        expect(done.total).toBe(done.allowed + done.blocked + done.errors);
        expect(done.total).toBeLessThan(165);
        expect(linesIn(partialIn(bulk.files.contents)).map(outcomeOf)).toEqual(
          expected.results.slice(0, done.total).map(outcomeOf),
        );
      }
      const rest = await bulk.run(argsFor(PROMPTS, `${SLOWLY} resume=true`));
      expect(rest.failure).toBeUndefined();
      expect(valueIn(rest).results.map(outcomeOf)).toEqual(expected.results.map(outcomeOf));
      expect(bulk.files.contents).toEqual({});
    },
  );

  scenario('abort', 'that polls for results is stopped at once', async () => {
    const bulk = bulkRoom({ processingMs: 60_000 });
    let isStopped = false;
    const clock = {
      ...bulk.room.clock,
      wait: async (milliseconds: number) => {
        if (bulk.sent.polls.length > 3) isStopped = true;
        if (isStopped) throw new CancelledError('Stopped while waiting.');
        await bulk.room.clock.wait(milliseconds);
      },
    };
    const { failure } = await bulk.run(argsFor(PROMPTS), { clock, stop: stoppedWhen(() => isStopped) });
    expect(failure).toMatchObject({ exitCode: 130, message: 'Stopped after 0 prompts.' });
    const batches = bulk.sent.batches.length;
    expect(valueIn(await bulk.run(argsFor(PROMPTS, 'resume=true')))).toMatchObject({ total: 165, errors: 0 });
    expect(bulk.sent.batches).toHaveLength(batches);
  });

  test('shows its results in the table, and how to continue', async () => {
    const bulk = bulkRoom(SLOW);
    const stopped = await bulk.run(argsFor(PROMPTS, SLOWLY), stopAfter(9, bulk));
    const { total } = valueIn(stopped);
    expect(total).toBeGreaterThan(0);
    expect(notesOf(stopped)).toContain(`The run stopped after ${total} prompts`);
    expect(markdown(stopped.readable)).toContain(`| Total | ${total} |`);
    expect(stopped.files.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^bulk-scan-[0-9a-f]{16}\.partial\.jsonl$/),
    ]);
  });

  test('reports on resume finished rows, accepted scans, and prompts that may count twice', async () => {
    const bulk = bulkRoom(SLOW);
    const { total } = valueIn(await bulk.run(argsFor(PROMPTS, SLOWLY), stopAfter(9, bulk)));
    const lines: string[] = [];
    const more = { progress: (line: string) => lines.push(line) };
    const note = notesOf(await bulk.run(argsFor(PROMPTS, `${SLOWLY} resume=true`), more));
    const found =
      /Resumed a run with (\d+) rows? done and (\d+) accepted scans?; (\d+) prompts? may count twice\./.exec(note);
    expect(Number(found?.[1])).toBeGreaterThanOrEqual(total);
    expect(Number(found?.[2]) + Number(found?.[3])).toBeGreaterThan(0);
    expect(lines[0]).toBe(found?.[0]);
  });

  test.each([{ count: 2 }, { count: 4 }])('in single scans keeps its $count verdicts', async ({ count }) => {
    const prompts = promptsFor(8);
    const bulk = bulkRoom(SLOW);
    await bulk.run(argsFor(prompts), stopAfter(count, bulk));
    bulk.sent.scans.splice(0);
    expect(await bulk.value(argsFor(prompts, 'resume=true'))).toMatchObject({ total: 8, errors: 0 });
    expect(bulk.sent.scans.length).toBeLessThanOrEqual(8 - count + 1);
  });
});

/** A process that is killed at one of its steps: a request, or a write, half of which is on disk. */
function killedAt(step: number, files: Files, transport: Transport) {
  const state = { steps: 0 };
  const never = new Promise<never>(() => undefined);
  let kill: () => void = () => undefined;
  const killed = new Promise<'killed'>((resolve) => {
    kill = () => resolve('killed');
  });
  const take = async <Value>(act: () => Promise<Value>, half: () => Promise<unknown>): Promise<Value> => {
    state.steps += 1;
    if (state.steps < step) return act();
    if (state.steps === step) await half();
    kill();
    return never;
  };
  const dying = (file: LineFile): LineFile => ({
    read: () => file.read(),
    append: (text) =>
      take(
        () => file.append(text),
        () => file.append(text.slice(0, text.length / 2)),
      ),
  });
  const journal = async (name: string, resume: boolean): Promise<Journal | undefined> => {
    const opened = await files.journal(name, resume);
    if (opened === undefined) return undefined;
    const { results, notes, commit, remove, suspend: leave } = opened;
    const nothing = async () => undefined;
    return {
      ...opened,
      ...{ results: dying(results), notes: dying(notes) },
      commit: (final, type) => take(() => commit(final, type), nothing),
      remove: () => take(remove, nothing),
      suspend: () => (state.steps >= step ? never : leave()),
    };
  };
  const send = (request: HttpRequest) =>
    take(
      () => transport.send(request),
      // The request arrives, but its response is lost.
      () => transport.send(request),
    );
  return { killed, state, ports: { files: { ...files, journal }, transport: { send } } };
}

describe('a bulk scan whose process is killed', () => {
  /** Kills a run at each of its steps in turn, and resumes it. @returns the number of steps */
  async function killEverywhere(prompts: readonly string[], more = '') {
    const expected = (await bulkRoom().value(argsFor(prompts, more))).results.map(outcomeOf);
    for (let step = 1; step < 400; step += 1) {
      const bulk = bulkRoom(SLOW);
      const dead = new Set<string>();
      const filesOf = (owner: string) =>
        memoryFiles(bulk.files.contents, { owner, isAlive: (holder) => !dead.has(holder) });
      const { killed, ports } = killedAt(step, filesOf('first'), bulk.transport);
      const run = bulk.run(argsFor(prompts, more), ports);
      if ((await Promise.race([run, killed])) !== 'killed') return step;
      dead.add('first');
      const before = bulk.sent.batches.flat();
      const rest = await bulk.run(argsFor(prompts, `${more} resume=true`), { files: filesOf('second') });
      expect({ step, rows: valueIn(rest).results.map(outcomeOf) }).toEqual({ step, rows: expected });
      expect(rest.failure).toBeUndefined();
      checkScannedOnce(bulk, before, rest);
      expectNone(
        Object.keys(bulk.files.contents).filter((name) => !name.startsWith('AiSec')),
        'files of another name',
      );
    }
    throw new Error('it has no end');
  }

  /** Only prompts that were being sent when the process died may be scanned twice, and then the run reports it. */
  function checkScannedOnce(bulk: BulkRoom, before: readonly number[], rest: Result) {
    const after = bulk.sent.batches.flat().slice(before.length);
    const twice = after.filter((row) => before.includes(row)).length;
    const stated = /(\d+) prompts? were being sent/.exec(notesOf(rest))?.[1];
    expect(Number(stated ?? 0)).toBeGreaterThanOrEqual(twice);
    expect(twice).toBeLessThanOrEqual(4 * 20);
  }

  scenario(
    'bulk-resume',
    'at any step and run again has the rows, order and verdicts of an uninterrupted run',
    async () => {
      expect(await killEverywhere(promptsFor(45))).toBeGreaterThan(15);
    },
  );

  scenario('bulk-resume', 'at any step of a run of few prompts has the same rows', async () => {
    expect(await killEverywhere(promptsFor(6))).toBeGreaterThan(12);
  });

  scenario('bulk-resume', 'at any step of a run with results in a file has the same rows', async () => {
    const contextLimit = 9000;
    const prompts = promptsFor(45);
    const expected = await bulkRoom().value(argsFor(prompts));
    for (let step = 1; ; step += 1) {
      const bulk = bulkRoom(SLOW);
      const isAlive = () => false;
      const { killed, ports } = killedAt(step, memoryFiles(bulk.files.contents, { isAlive }), bulk.transport);
      const run = bulk.run(argsFor(prompts), { ...ports, contextLimit });
      const isKilled = (await Promise.race([run, killed])) === 'killed';
      if (isKilled) {
        const files = memoryFiles(bulk.files.contents, { isAlive });
        const { files: saved } = await bulk.run(argsFor(prompts, 'resume=true'), { files, contextLimit });
        expect(saved.map(({ name }) => name)).toEqual(['AiSec-BulkScan.jsonl']);
      }
      const text = bulk.files.contents['AiSec-BulkScan.jsonl'] ?? '';
      expect({ step, rows: linesIn(text).map(outcomeOf) }).toEqual({ step, rows: expected.results.map(outcomeOf) });
      const { unfinished } = await gateBulk([{ reader: textReader(text), name: 'f' }], { now: 0 });
      expect({ step, unfinished, ends: text.split('bulk-end').length - 1 }).toEqual({ step, ends: 1 });
      if (!isKilled) break;
    }
  });

  /** Reads the number of possible duplicate scans from the notes and warnings of a result. */
  function saidTwice({ readable, warnings }: Result): number[] {
    return [readable.notes, warnings].map((sentences) => {
      const found = /^([\d,]+) prompts?.* were being sent/m.exec(sentences.join('\n'))?.[1] ?? '0';
      return Number(found.replaceAll(',', ''));
    });
  }

  scenario.each([
    { count: 3, steps: [2, 3, 4, 2, 3, 2, 2, 3] },
    { count: 9, steps: Array.from({ length: shareOf(12) }, (_, at) => 3 + (at % 3)) },
    { count: 45, steps: [2, 3, 4, 5, 4, 3] },
    { count: 165, steps: Array.from({ length: shareOf(12) }, (_, at) => 3 + (at % 4)) },
  ])(
    ['double-scan-said', 'bulk-resume'],
    'repeatedly reports how many of $count prompts may have been scanned twice',
    async ({ count, steps }) => {
      const prompts = promptsFor(count);
      const bulk = bulkRoom(SLOW);
      const files = memoryFiles(bulk.files.contents, { isAlive: () => false });
      const scans = () => bulk.sent.batches.flat().length + bulk.sent.scans.length;
      for (const step of steps) {
        const { killed, ports } = killedAt(step, files, bulk.transport);
        await Promise.race([bulk.run(argsFor(prompts, 'resume=true'), ports), killed]);
      }
      const stream: Record<string, unknown>[] = [];
      const last = await bulk.run(argsFor(prompts, 'resume=true'), {
        ...{ files, stream: (record) => stream.push(record as Record<string, unknown>) },
      });
      const extra = scans() - count;
      const [noted = 0, warned] = saidTwice(last);
      expect(extra).toBeGreaterThan(0);
      expect(noted).toBeGreaterThanOrEqual(extra);
      // No more than can be in progress when a process dies.
      expect(noted).toBeLessThanOrEqual(steps.length * (count < 10 ? 8 : 160));
      expect(warned).toBe(noted);
      expect(stream.at(-1)).toMatchObject({ aisec: 'bulk-end', repeated_scans: noted });
      expect(valueIn(last)).toMatchObject({ total: count, errors: 0 });
    },
  );

  scenario.each([{ count: 1 }, { count: 8 }, { count: 40 }])(
    'double-scan-said',
    'is not reported for $count prompts that were scanned once',
    async ({ count }) => {
      const result = await bulkRoom(SLOW).run(argsFor(promptsFor(count)));
      expect(saidTwice(result)).toEqual([0, 0]);
    },
  );

  scenario.each([{ count: 5 }, { count: 30 }])(
    'double-scan-said',
    'by its user during its first request reports the $count prompts on resume',
    async ({ count }) => {
      const bulk = bulkRoom(SLOW);
      const prompts = promptsFor(count);
      let isStopped = false;
      const send = async (request: HttpRequest) => {
        isStopped = true;
        await bulk.transport.send(request);
        throw new CancelledError('Stopped.');
      };
      const stopped = await bulk.run(argsFor(prompts), { stop: stoppedWhen(() => isStopped), transport: { send } });
      expect(stopped.failure).toMatchObject({ exitCode: 130 });
      const sent = bulk.sent.batches.flat().length + bulk.sent.scans.length;
      const rest = await bulk.run(argsFor(prompts, 'resume=true'));
      expect(saidTwice(rest)).toEqual([sent, sent]);
    },
  );

  scenario('double-scan-said', 'counts single prompts that are sent again after a lost response', async () => {
    const scan = (_: string, at: number) => (at === 2 || at === 3 ? lostConnection('h') : undefined);
    const lost = await bulkRoom({}, { scan }).run(argsFor(promptsFor(4)));
    expect(saidTwice(lost)).toEqual([2, 2]);
    const unsent = (_: string, at: number) => (at === 2 || at === 3 ? refused('h') : undefined);
    expect(saidTwice(await bulkRoom({}, { scan: unsent }).run(argsFor(promptsFor(4))))).toEqual([0, 0]);
  });

  scenario('bulk-resume', 'and killed again can be resumed again', async () => {
    const bulk = bulkRoom();
    const expected = await bulkRoom().value(argsFor(PROMPTS));
    const files = memoryFiles(bulk.files.contents, { isAlive: () => false });
    for (const step of [9, 7, 8, 9, 10]) {
      const { killed, ports } = killedAt(step, files, bulk.transport);
      await Promise.race([bulk.run(argsFor(PROMPTS, 'resume=true'), ports), killed]);
    }
    const { results } = valueIn(await bulk.run(argsFor(PROMPTS, 'resume=true'), { files }));
    expect(results.map(outcomeOf)).toEqual(expected.results.map(outcomeOf));
  });
});

describe('resume=true', () => {
  /** A room with a run that was stopped halfway. */
  async function halfway() {
    const bulk = bulkRoom(SLOW);
    const stopped = await bulk.run(argsFor(PROMPTS, SLOWLY), stopAfter(9, bulk));
    bulk.sent.batches.splice(0);
    return { bulk, done: valueIn(stopped).total };
  }

  test('starts again with a note if there is nothing to resume', async () => {
    const result = await bulkRoom().run(argsFor(PROMPTS, `${SLOWLY} resume=true`));
    expect(valueIn(result)).toMatchObject({ total: 165 });
    expect(notesOf(result)).toContain('There was nothing to resume');
  });

  test.each([
    { what: 'another profile', args: 'profile_name=monitor-only resume=true' },
    { what: 'another session', args: 'session_id=s resume=true' },
  ])('does not continue a run of $what', async ({ args }) => {
    const { bulk } = await halfway();
    const result = await bulk.run(argsFor(PROMPTS, `${SLOWLY} ${args}`));
    expect(notesOf(result)).toContain('There was nothing to resume');
    expect(bulk.sent.batches.flat()).toHaveLength(165);
    expect(partialIn(bulk.files.contents)).toBeDefined();
  });

  test('streams the rows of the earlier run too', async () => {
    const { bulk, done } = await halfway();
    const rows: unknown[] = [];
    await bulk.run(argsFor(PROMPTS, `${SLOWLY} resume=true`), { stream: (row) => rows.push(row) });
    expect(done).toBeGreaterThan(0);
    expect(rows.map((row) => (row as { row: number }).row)).toEqual(PROMPTS.map((_, index) => index + 1));
  });

  test('keeps unknown outcomes as unknown', async () => {
    const bulk = bulkRoom(SLOW, { submit: (_, count) => (count === 2 ? refusal(500) : undefined) });
    await bulk.run(argsFor(PROMPTS, SLOWLY), stopAfter(9, bulk));
    const result = await bulk.run(argsFor(PROMPTS, `${SLOWLY} resume=true`));
    expect(valueIn(result)).toMatchObject({ total: 165, errors: 20 });
    expect(result.failure).toMatchObject({ exitCode: 10 });
    const rows = bulk.sent.batches.flat();
    expect(rows.filter((row) => row === bulk.sent.batches[1]?.[0])).toHaveLength(1);
  });

  const csv = (prompts: readonly string[]) => `prompt\n${prompts.map((prompt) => `"${prompt}"\n`).join('')}`;
  test.each<{ what: string; change: (prompts: string[]) => string[] }>([
    { what: 'a prompt that is done', change: ([first = '', ...rest]) => [first.replace('Q', 'q'), ...rest] },
    {
      what: 'a prompt that is being scanned',
      change: (prompts) => prompts.map((prompt, at) => (at === 101 ? prompt.replace('Q', 'q') : prompt)),
    },
    { what: 'the number of prompts', change: () => ['x'.repeat(csv(PROMPTS).length - csv(['']).length)] },
  ])('refuses a file in which $what has changed, and does not change the run', async ({ change }) => {
    const bulk = bulkRoom(SLOW);
    bulk.files.contents['in.csv'] = csv(PROMPTS);
    const args = `prompts_csv=file entry_id=in.csv ${SLOWLY}`;
    await bulk.run(args, stopAfter(9, bulk));
    bulk.files.contents['in.csv'] = csv(change([...PROMPTS]));
    const error = await bulk.fail(`${args} resume=true`);
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining('not the input of the run') });
    bulk.files.contents['in.csv'] = csv(PROMPTS);
    expect(await bulk.value(`${args} resume=true`)).toMatchObject({ total: 165, errors: 0 });
  });

  scenario.each([{ first: true }, { first: false }])(
    'simulated-mark',
    'never mixes verdicts of the simulated service and of a tenant (simulated first: $first)',
    async ({ first }) => {
      const bulk = bulkRoom(SLOW);
      const asTenant = async (request: HttpRequest) => {
        const { headers, ...response } = await bulk.transport.send(request);
        const { 'x-aisec-simulated': _, ...plain } = headers as Record<string, string>;
        return { ...response, headers: plain };
      };
      const [before, now] = first ? [bulk.transport.send, asTenant] : [asTenant, bulk.transport.send];
      await bulk.run(argsFor(PROMPTS, SLOWLY), stopAfter(9, { ...bulk, transport: { send: before } }));
      const kept = partialIn(bulk.files.contents);
      const { failure } = await bulk.run(argsFor(PROMPTS, `${SLOWLY} resume=true`), { transport: { send: now } });
      expect(failure).toMatchObject({ exitCode: 5, code: 'conflict' });
      expect(failure?.message).toContain(first ? 'by the simulated service, and this one by a tenant' : 'by a tenant');
      expect(partialIn(bulk.files.contents)).toBe(kept);
    },
  );

  test('of a simulated run says what --simulate loses with its process', async () => {
    const { bulk } = await halfway();
    expect(notesOf(await bulk.run(argsFor(PROMPTS, `${SLOWLY} resume=true`)))).toContain('`aisec simulate`');
  });

  test('is not required to keep the results of a run that is not resumed', async () => {
    const { bulk, done } = await halfway();
    const result = await bulk.run(argsFor(PROMPTS, SLOWLY));
    expect(bulk.sent.batches.flat()).toHaveLength(165);
    expect(notesOf(result)).toMatch(/its results are in bulk-scan-[0-9a-f]{16}\.jsonl/);
    const [kept = ''] = Object.values(bulk.files.contents);
    expect(linesIn(kept)).toHaveLength(done);
  });

  scenario('two-writers', 'refuses a run of another live process, and names the lock and its owner', async () => {
    const { bulk } = await halfway();
    const [name = ''] = Object.keys(bulk.files.contents).filter((path) => path.endsWith('.journal'));
    const lock = name.replace('.journal', '.lock');
    bulk.files.contents[lock] = 'process 17';
    for (const args of ['resume=true', '']) {
      const error = await bulk.fail(argsFor(PROMPTS, `${SLOWLY} ${args}`));
      expect(error).toBeInstanceOf(ConflictError);
      expect(error.message).toBe(`${lock} belongs to process 17.`);
    }
    expectNone(bulk.sent.batches, 'batches');
    expect(bulk.files.contents[lock]).toBe('process 17');
  });

  test('in a dry run does not change the earlier run', async () => {
    const { bulk } = await halfway();
    const before = { ...bulk.files.contents };
    const { planned } = await bulk.run(argsFor(PROMPTS, `${SLOWLY} resume=true`), { dryRun: true });
    expect(planned).toBe(true);
    expect(bulk.files.contents).toEqual(before);
  });

  scenario(
    'before-quota',
    'and an ordinary run are errors before a prompt is sent if the host cannot write',
    async () => {
      const bulk = bulkRoom(SLOW);
      const journal = async () => {
        throw new ConfigurationError('A file cannot be written to /.');
      };
      const files = { ...bulk.files, journal };
      for (const args of ['resume=true', '']) {
        expect(await bulk.fail(argsFor(PROMPTS, `${SLOWLY} ${args}`), { files })).toBeInstanceOf(ConfigurationError);
      }
      expectNone(bulk.sent.batches, 'batches');
    },
  );
});

describe('more results than the context holds', () => {
  scenario.each([
    { what: 'up to a thousand', count: 1000, isWhole: true },
    { what: 'above a thousand', count: 1001, isWhole: false },
  ])(
    'context-size',
    '$what, results are in order without a file: $isWhole, otherwise blocked prompts come first, with a file',
    async ({ count, isWhole }) => {
      const bulk = bulkRoom({}, instantly());
      const result = await bulk.run(argsFor(promptsFor(count)));
      const { results } = valueIn(result);
      expect(results).toHaveLength(count);
      expect(result.files).toHaveLength(isWhole ? 0 : 1);
      expect(result.truncated).toBeUndefined();
      expect(results.every(({ row }, index) => row === index + 1)).toBe(isWhole);
      expect(results.slice(0, 10).every(({ action }) => action === 'block')).toBe(!isWhole);
    },
  );

  scenario(
    'context-size',
    'of a few large prompts are written to a file in the same way, also without a journal',
    async () => {
      const prompts = Array.from({ length: 12 }, (_, index) => `${index} `.padEnd(20_000, 'x'));
      for (const isKept of [true, false]) {
        const bulk = bulkRoom({}, instantly());
        const journal = isKept ? bulk.files.journal : async () => undefined;
        const result = await bulk.run(argsFor(prompts), { files: { ...bulk.files, journal }, contextLimit: 100_000 });
        expect(valueIn(result)).toMatchObject({ total: 12, allowed: 12 });
        expect(valueIn(result).results.length).toBeLessThan(6);
        expect(linesIn(bulk.files.contents['AiSec-BulkScan.jsonl']).map(({ prompt }) => prompt)).toEqual(prompts);
        expect(result.files).toHaveLength(1);
      }
    },
  );
});

describe('a host that splits long work into time slices', () => {
  /** Runs in slices of this many milliseconds, as the platform does: only JSON is kept between them. */
  async function sliced(bulk: BulkRoom, args: string, sliceMs: number, more: Partial<Runtime> = {}) {
    const { clock } = bulk.room;
    const positions: string[] = [];
    let checkpoint: Checkpoint | undefined;
    let created = 0;
    for (let turn = 0; turn < 200; turn += 1) {
      const timeSlice = { deadline: clock.elapsed() + sliceMs, ...(checkpoint === undefined ? {} : { checkpoint }) };
      const files: Files = {
        ...bulk.files,
        journal: async () => undefined,
        // A platform file is never written twice.
        create: (name, type) => bulk.files.create(name.replace('-rows', `-rows-${++created}`), type),
      };
      const result = await bulk.run(args, { files, timeSlice, ...more });
      if (result.suspension === undefined) return { result, positions };
      const text = JSON.stringify(result.suspension.checkpoint);
      positions.push(text);
      checkpoint = JSON.parse(text) as Checkpoint;
      clock.advance(Math.max(10_000, result.suspension.waitMs));
    }
    throw new Error('it has no end');
  }

  test.each([{ sliceMs: 1 }, { sliceMs: 700 }, { sliceMs: 60_000 }])(
    'has the same rows with slices of $sliceMs ms, and no prompt is sent twice',
    async ({ sliceMs }) => {
      const prompts = promptsFor(230);
      const expected = await bulkRoom().value(argsFor(prompts));
      const bulk = bulkRoom({ latencyMs: 100 });
      const { result, positions } = await sliced(bulk, argsFor(prompts), sliceMs);
      expect(valueIn(result).results.map(outcomeOf)).toEqual(expected.results.map(outcomeOf));
      expect(bulk.sent.batches.flat().sort((a, b) => a - b)).toEqual(prompts.map((_, index) => index + 1));
      expect(positions.length > 0).toBe(sliceMs < 60_000);
    },
  );

  test('has a checkpoint without prompts and argument values', async () => {
    const { positions } = await sliced(bulkRoom({ latencyMs: 100 }), argsFor(promptsFor(100)), 500);
    expect(positions.join('')).not.toContain('Question');
    expect(positions.at(-1)).toContain('"batch":20');
  });

  test('writes the file of a long run in the last slice', async () => {
    const bulk = bulkRoom({ latencyMs: 50 });
    const { result } = await sliced(bulk, argsFor(promptsFor(60)), 400, { contextLimit: 9000 });
    expect(result.files).toHaveLength(1);
    expect(linesIn(bulk.files.contents['AiSec-BulkScan.jsonl']).map(({ row }) => row)).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
  });
});
