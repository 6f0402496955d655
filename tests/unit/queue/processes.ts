/** Processes of the program that share a queue; all of them end after each test. */
import type { ChildProcess } from 'node:child_process';
import { createService } from '../../../fixtures/service/index.ts';
import { startServer } from '../../../fixtures/service/server.ts';
import type { Service, ServiceResponse } from '../../../fixtures/service/types.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { steadyClock, until } from '../../support/machine.ts';
import { type Ended, ended, start } from '../../support/program.ts';

export interface QueueProcess {
  readonly child: ChildProcess;
  readonly end: Promise<Ended>;
  /** Waits until the process has printed a text. */
  says(text: string): Promise<void>;
  printed(): string;
}

export interface QueueProcesses {
  /** Starts the program with the queue, and collects what it prints. */
  run(words: readonly string[], folder?: string, environment?: Record<string, string>): QueueProcess;
  /** Starts a worker, and waits until it is ready. */
  worker(words?: readonly string[], environment?: Record<string, string>): Promise<QueueProcess>;
}

/** @param path of the program @param variables environment of every process */
export function queueProcesses(path: string, variables: () => Record<string, string>): QueueProcesses {
  const running: QueueProcess[] = [];
  afterEach(async () => {
    for (const { child, end } of running.splice(0)) {
      child.kill('SIGKILL');
      await end;
    }
  });
  const run: QueueProcesses['run'] = (words, folder = temporaryFolder('queue'), environment = {}) => {
    const child = start(path, words, { folder, environment: { ...variables(), ...environment } });
    const printed = { text: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        printed.text += String(chunk);
      });
    }
    const says = (text: string) =>
      until(
        () => printed.text.includes(text),
        () => printed.text,
      );
    const started = { child, end: ended(child), says, printed: () => printed.text };
    running.push(started);
    return started;
  };
  return {
    run,
    worker: async (words = [], environment = {}) => {
      const started = run(['worker', ...words], undefined, environment);
      await started.says('waits for work');
      return started;
    },
  };
}

export interface CountingService {
  /** Client settings, as environment variables. */
  readonly environment: Record<string, string>;
  /** Number of times each prompt was sent. */
  readonly sent: ReadonlyMap<string, number>;
  /** Called before each scan request; its result is the response. */
  meet: (prompts: readonly string[]) => ServiceResponse | undefined;
  close(): Promise<void>;
}

/** Starts the service. */
export async function countingService(options: Parameters<typeof createService>[0] = {}): Promise<CountingService> {
  const service = createService(options);
  const sent = new Map<string, number>();
  const handle: Service['handle'] = (request, clock) => {
    const prompts = request.method === 'POST' && request.url.includes('/v1/scan/') ? promptsIn(request.body) : [];
    const instead = prompts.length === 0 ? undefined : counting.meet(prompts);
    if (instead !== undefined) return instead;
    for (const prompt of prompts) sent.set(prompt, (sent.get(prompt) ?? 0) + 1);
    return service.handle(request, clock);
  };
  // The service has its own clock: a test's clock may jump.
  const { origin, close } = await startServer({ ...service, handle }, { port: 0, clock: steadyClock() });
  const counting: CountingService = { environment: service.settings(origin), sent, meet: () => undefined, close };
  return counting;
}

interface ScanRequest {
  readonly contents: readonly { readonly prompt: string }[];
}

function promptsIn(body: string): string[] {
  const value = JSON.parse(body) as ScanRequest | readonly { readonly scan_req: ScanRequest }[];
  const requests: readonly ScanRequest[] = Array.isArray(value)
    ? value.map(({ scan_req }) => scan_req)
    : [value as ScanRequest];
  return requests.flatMap(({ contents }: ScanRequest) => contents.map(({ prompt }) => prompt));
}

/** Number of scans beyond the first scan of each prompt. */
export function repeatsIn({ sent }: CountingService): number {
  return [...sent.values()].reduce((sum, count) => sum + count - 1, 0);
}
