/** Processes of the program that share a queue; all of them are ended after each test. */
import type { ChildProcess } from 'node:child_process';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/machine.ts';
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
