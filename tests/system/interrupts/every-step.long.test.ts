import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { PROGRAM } from '../../../bin/subcommands.ts';
import { registry } from '../../../commands/index.ts';
import { main } from '../../../lib/hosts/terminal/shell/main.ts';
import { linesIn, outcomeOf, promptsFor } from '../../commands/runtime/bulk-room.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { promptness, until } from '../../support/machine.ts';
import { scenario } from '../scenarios/claims.ts';
import { type Held, type HeldOptions, heldService, type Moment, type Step } from './held-service.ts';
import { CODE_AFTER, MODES, UPLOADED, wholeFilesIn } from './modes.ts';

const STEPS: readonly Step[] = ['begun', 'asked', 'half', 'answered'];
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const LISTENERS = SIGNALS.map((name) => process.listenerCount(name));

/** Runs the program in this process. */
async function run(words: readonly string[], environment: Record<string, string>, input = '') {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts) =>
    new PassThrough().on('data', (chunk) => {
      texts[name] += String(chunk);
    });
  const stdin = new PassThrough();
  stdin.end(input);
  const code = await main(
    {
      argv: words,
      environment,
      stdin,
      stdout: stream('stdout'),
      stderr: stream('stderr'),
      registry,
      catalogue: async () => [],
      playbooks: async () => [],
      openApi: async () => '',
      version: '1.2.3',
      simulated: async () => {
        throw new Error('nothing is simulated inside');
      },
    },
    PROGRAM,
  );
  return { code, ...texts };
}

interface Asked {
  readonly words: readonly string[];
  readonly input?: string | undefined;
  readonly service?: HeldOptions | undefined;
  readonly moment?: Moment;
  readonly signal?: NodeJS.Signals;
}

/** Runs the program against a service, and measures the time from the stop. The service may respond again afterwards. */
async function stoppedRun({ words, input, service: options = {}, moment, signal = 'SIGINT' }: Asked) {
  let promptly = promptness();
  const service = await heldService(options, moment, () => {
    promptly = promptness();
    process.emit(signal, signal);
  });
  const ended = await run(words, service.settings, input);
  const isPrompt = await promptly();
  return { ...ended, service, isPrompt, open: await openIn(service) };
}

/** Connections still open after the closed ones have ended. */
async function openIn(service: Held): Promise<number> {
  await until(() => service.open() === 0);
  return service.open();
}

const folderWith = (input: string) => {
  const folder = temporaryFolder('interrupts');
  writeFileSync(join(folder, 'in.csv'), input);
  return folder;
};

describe('stopped at every step of every request', () => {
  scenario.each(MODES)(
    'abort',
    '$what ends with the code of its signal, with complete files, and without open connections',
    async (mode) => {
      const { words, requests, input, service: options, files = [], waits = false } = mode;
      for (let request = 1; request <= requests; request += 1) {
        for (const [at, step] of STEPS.entries()) {
          // Every step of the last request, and every other step of earlier requests.
          if (request < requests && (request + at) % 2 === 0) continue;
          const folder = folderWith(UPLOADED);
          const signal = SIGNALS[at >> 1] ?? 'SIGINT';
          const moment = { request, step };
          const ended = await stoppedRun({ words: words(folder), input, service: options, moment, signal });
          await ended.service.close();
          const last = request === requests && step === 'answered' && !waits;
          const { code, open, isPrompt, stderr } = ended;
          const found = wholeFilesIn(folder);
          // Standard error matters only if the test fails.
          const errors = code === 8 ? stderr : '';
          expect({ ...moment, code, open, isPrompt, errors }).toEqual({
            ...moment,
            errors: '',
            // With the last answer received, the program may finish before it notices the signal.
            code: last ? expect.any(Number) : CODE_AFTER[signal],
            open: 0,
            isPrompt: true,
          });
          expect(stderr).not.toMatch(/unhandled|(?:fault of|bug in) aisec|^ +at /im);
          if (last) expect([0, mode.code ?? 0, CODE_AFTER[signal]]).toContain(code);
          else expect(found.concat(stderr)).toEqual([expect.stringContaining('cancelled')]);
          expect(files).toEqual(expect.arrayContaining(found));
        }
      }
      expect(SIGNALS.map((name) => process.listenerCount(name))).toEqual(LISTENERS);
    },
  );
});

describe('a bulk scan that is stopped at every step of every request', () => {
  const PROMPTS = promptsFor(45);
  const INPUT = ['prompt', ...PROMPTS].join('\n');
  /** Nine batches and two polls; a slow machine polls more often. */
  const REQUESTS = 11;
  const line = (folder: string, more = '') => [
    `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=file entry_id=${join(folder, 'in.csv')} concurrency=1 batch_size=5 ${more}`,
    ...['--files-dir', folder, '--context-limit', '5000'],
  ];
  const moments = [1, 2, 4, 7, 9, 10, REQUESTS].map((request) => ({ request, step: STEPS[request % 4] ?? 'asked' }));
  const rowsIn = (folder: string) => linesIn(readFileSync(join(folder, RESULT), 'utf8')).map(outcomeOf);
  const RESULT = 'AiSec-BulkScan.jsonl';
  let expected: unknown[] = [];

  beforeAll(async () => {
    const folder = folderWith(INPUT);
    const { code, service } = await stoppedRun({ words: line(folder), service: { processingMs: 10 } });
    await service.close();
    expect(code).toBe(0);
    expect(service.requests()).toBeGreaterThanOrEqual(REQUESTS);
    expected = rowsIn(folder);
    expect(expected).toHaveLength(PROMPTS.length);
  });

  scenario.each(moments)(
    ['abort', 'bulk-resume'],
    'at request $request, $step, has every row after a rerun',
    async (moment) => {
      const folder = folderWith(INPUT);
      const signal = SIGNALS[moment.request % 2] ?? 'SIGINT';
      const { code, open, isPrompt, stderr, service } = await stoppedRun({
        words: line(folder),
        service: { processingMs: 10 },
        moment,
        signal,
      });
      expect({ code, open, isPrompt }).toEqual({ code: CODE_AFTER[signal], open: 0, isPrompt: true });
      expect(stderr).not.toMatch(/unhandled|(?:fault of|bug in) aisec|^ +at /im);
      expect(wholeFilesIn(folder)).not.toContain(RESULT);
      service.release();
      const rest = await run(line(folder, 'resume=true'), service.settings);
      await service.close();
      expect({ code: rest.code, files: wholeFilesIn(folder) }).toEqual({ code: 0, files: [RESULT] });
      expect(rowsIn(folder)).toEqual(expected);
    },
  );
});
