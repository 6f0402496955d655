/** Behaviour of every kind of run: inside a process, and through a queue. */
import { CancelledError, NetworkError, UsageError } from '../../../lib/core/errors.ts';
import { type InProcessOptions, InProcessRuns } from '../../../lib/runs/in-process.ts';
import { BusyError, type PerformRun, type RunEvent, type RunOwner, type Runs } from '../../../lib/runs/port.ts';
import { testClock } from '../../support/simulated.ts';

export const OWNER: RunOwner = { tenant: '', caller: 'ci@', limits: {} };
export const OTHER: RunOwner = { ...OWNER, tenant: 'other' };
export const WORK = { kind: 'command', command: 'aisec-runtime-topics-list', args: {}, dryRun: false } as const;
export const never = new AbortController().signal;

export interface OpenedRuns {
  readonly runs: Runs;
  close(): Promise<void>;
}

/** @param slots runs of one tenant at the same time */
export type OpenRuns = (work: PerformRun, slots: number, maxQueued?: number) => Promise<OpenedRuns>;

/** Work that ends when the test says so. */
export function held() {
  const finish: (() => void)[] = [];
  const began: (() => void)[] = [];
  const work: PerformRun = (_work, _owner, { signal }) =>
    new Promise((resolve, reject) => {
      finish.push(() => resolve({ result: { done: true }, partial: false }));
      signal.addEventListener('abort', () => reject(new CancelledError('Stopped.')));
      for (const tell of began.splice(0)) tell();
    });
  /** Waits until one more run has started. */
  const begin = () => new Promise<void>((resolve) => void began.push(resolve));
  return { work, finish, begin };
}

/** Reads the events of a run to its end. */
export async function all(events: AsyncIterable<RunEvent> | undefined): Promise<RunEvent[]> {
  const found: RunEvent[] = [];
  for await (const event of events ?? []) found.push(event);
  return found;
}

const names = (events: readonly RunEvent[]) => events.map(({ event }) => event);

/** Describes runs. @param open connects, and starts the workers */
export function describeRuns(kind: string, open: OpenRuns): void {
  describe(`A run ${kind}`, () => {
    const opened: OpenedRuns[] = [];
    const runsOf = async (...options: Parameters<OpenRuns>) => {
      const found = await open(...options);
      opened.push(found);
      return found.runs;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map(({ close }) => close()));
    });

    it.each<[string, PerformRun, object]>([
      ['succeeded', async () => ({ result: { a: 1 }, partial: false }), { state: 'succeeded', result: { a: 1 } }],
      ['partial', async () => ({ result: { a: 1 }, partial: true }), { state: 'partial', result: { a: 1 } }],
      [
        'failed',
        async () => Promise.reject(new UsageError('No.')),
        { state: 'failed', error: expect.objectContaining({ code: 'usage' }) as unknown },
      ],
      [
        'stopped',
        async () => Promise.reject(new CancelledError('.')),
        { state: 'stopped', error: expect.objectContaining({ code: 'cancelled' }) as unknown },
      ],
      [
        'may have been carried out',
        async () => Promise.reject(new NetworkError('No response.', { outcomeUnknown: true })),
        { state: 'unknown', error: expect.objectContaining({ code: 'network' }) as unknown },
      ],
    ])('that %s reports it', async (_state, work, expected) => {
      const runs = await runsOf(work, 4);
      const { id } = await runs.start(OWNER, WORK);
      const events = await all(runs.events(id, 0, never));
      expect(names(events)).toEqual(['state', 'state', 'end']);
      expect(await runs.find(id)).toMatchObject(expected);
      expect(events.at(-1)?.data).toEqual(await runs.find(id));
    });

    it('reports its progress and each task to readers, who may disconnect and resume', async () => {
      const runs = await runsOf(async (_work, _owner, { onProgress, onTask }) => {
        onProgress('half');
        onTask({ id: '1' });
        return { result: {}, partial: false };
      }, 4);
      const { id } = await runs.start(OWNER, WORK);
      const events = await all(runs.events(id, 0, never));
      expect(events.map(({ id: at }) => at)).toEqual(events.map((_, at) => at + 1));
      const told = events.filter(({ event }) => event === 'progress' || event === 'task').map(({ data }) => data);
      expect(told).toEqual([{ progress: 'half' }, { id: '1' }]);
      expect((await runs.find(id))?.progress).toBe('half');
      expect(await all(runs.events(id, 3, never))).toEqual(events.slice(3));
    });

    it('gets its work and its owner', async () => {
      const seen: unknown[] = [];
      const runs = await runsOf(async (work, { caller, limits }) => {
        seen.push(work, caller, limits);
        return { result: {}, partial: false };
      }, 4);
      const owner = { ...OWNER, limits: { allow: { commands: ['aisec-runtime-topics-list'] }, hideSecrets: true } };
      await all(runs.events((await runs.start(owner, WORK)).id, 0, never));
      expect(seen).toEqual([WORK, owner.caller, owner.limits]);
    });

    it('is cancelled before it starts if it waits, and stopped if it runs', async () => {
      const { work, begin } = held();
      const runs = await runsOf(work, 1);
      const began = begin();
      const running = await runs.start(OWNER, WORK);
      await began;
      const waiting = await runs.start(OWNER, WORK);
      await runs.stop(waiting.id);
      await all(runs.events(waiting.id, 0, never));
      expect(await runs.find(waiting.id)).toMatchObject({
        state: 'stopped',
        started: null,
        error: { code: 'cancelled', message: 'Stopped before it began.', hint: 'Nothing was sent.' },
      });
      await runs.stop(running.id);
      await all(runs.events(running.id, 0, never));
      expect(await runs.find(running.id)).toMatchObject({ state: 'stopped', started: expect.any(String) as unknown });
    });

    it('that waits begins when its token has its turn', async () => {
      const { work, finish, begin } = held();
      const order: string[] = [];
      const runs = await runsOf((request, owner, context) => {
        order.push(owner.caller);
        return work(request, owner, context);
      }, 1);
      const callers = ['first', 'one', 'one', 'one', 'two', 'two', 'three'];
      const ids: string[] = [];
      for (const caller of callers) {
        const began = begin();
        ids.push((await runs.start({ ...OWNER, caller }, WORK)).id);
        if (caller === 'first') await began;
      }
      for (let count = 0; count < callers.length; count += 1) {
        const began = begin();
        finish[count]?.();
        if (count < callers.length - 1) await began;
      }
      for (const id of ids) await all(runs.events(id, 0, never));
      expect(order).toEqual(['first', 'one', 'two', 'three', 'one', 'two', 'one']);
    });

    it('is counted and listed with other runs of its tenant, newest first', async () => {
      const { work, begin } = held();
      const runs = await runsOf(work, 1);
      const began = begin();
      const first = await runs.start(OWNER, WORK);
      await began;
      await new Promise((resolve) => setTimeout(resolve, 2));
      const second = await runs.start(OWNER, WORK);
      expect((await runs.list('')).map(({ id }) => id)).toEqual([second.id, first.id]);
      expect(await runs.list('other')).toEqual([]);
      expect(await runs.counts()).toMatchObject({ queued: 1, running: 1, workers: 1 });
    });

    it('is removed on request only after its end', async () => {
      const { work, finish, begin } = held();
      const runs = await runsOf(work, 1);
      const began = begin();
      const { id } = await runs.start(OWNER, WORK);
      await began;
      await runs.remove(id);
      expect(await runs.find(id)).toBeDefined();
      finish[0]?.();
      await all(runs.events(id, 0, never));
      await runs.remove(id);
      expect(await runs.find(id)).toBeUndefined();
      expect(await all(runs.events(id, 0, never))).toEqual([]);
    });

    it('is refused if too many runs wait', async () => {
      const { work, begin } = held();
      const runs = await runsOf(work, 1, 2);
      const began = begin();
      await runs.start(OWNER, WORK);
      await began;
      for (let count = 0; count < 2; count += 1) await runs.start(OWNER, WORK);
      await expect(runs.start(OWNER, WORK)).rejects.toThrow(BusyError);
    });
  });
}

/** Opens runs on a clock that stands still. */
export function runsOf(work: PerformRun, more: Partial<InProcessOptions> = {}) {
  const clock = testClock();
  return { runs: new InProcessRuns({ perform: work, clock, ...more }), clock };
}
