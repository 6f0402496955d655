import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import { startServer } from '../../../fixtures/service/server.ts';
import type { Service } from '../../../fixtures/service/types.ts';
import { ConfigurationError, ConflictError } from '../../../lib/core/errors.ts';
import type { LineFile } from '../../../lib/core/ports.ts';
import { nodeFiles } from '../../../lib/node/files/files.ts';
import { linesIn, outcomeOf, promptsFor } from '../../commands/runtime/bulk-room.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/machine.ts';
import { type Ended, ended, program, start } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const folder = () => temporaryFolder('bulk');

async function textOf(file: LineFile): Promise<string> {
  const reader = await file.read();
  let text = '';
  for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) text += piece;
  return text;
}

async function opened(directory: string, resume: boolean) {
  const journal = await nodeFiles(directory).journal('work', resume);
  if (journal === undefined) throw new Error('a terminal keeps journals');
  return journal;
}

describe('a journal on disk', () => {
  test('keeps lines in their order, and returns them to a run that resumes', async () => {
    const directory = join(folder(), 'new', 'place');
    const first = await opened(directory, false);
    await Promise.all(['a\n', 'b\nc\n', 'd\n'].map((text) => first.results.append(text)));
    await first.notes.append('note\n');
    expect(await first.suspend()).toMatchObject({ entry: join(directory, 'work.partial.jsonl'), size: 8 });
    expect(readdirSync(directory).sort()).toEqual(['work.journal', 'work.partial.jsonl']);
    const second = await opened(directory, true);
    expect([second.continued, second.previous]).toEqual([true, undefined]);
    expect([await textOf(second.results), await textOf(second.notes)]).toEqual(['a\nb\nc\nd\n', 'note\n']);
    await second.results.append('e\n');
    expect(await second.commit('done.jsonl', 'application/jsonl')).toMatchObject({ name: 'done.jsonl', size: 10 });
    await second.suspend();
    expect(readdirSync(directory)).toEqual(['done.jsonl']);
    expect(readFileSync(join(directory, 'done.jsonl'), 'utf8')).toBe('a\nb\nc\nd\ne\n');
  });

  scenario.each([
    { what: 'nothing', left: '', kept: '' },
    { what: 'half of the first line', left: '{"ro', kept: '' },
    { what: 'half of a later line', left: 'one\ntwo\nth', kept: 'one\ntwo\n' },
    { what: 'whole lines', left: 'one\ntwo\n', kept: 'one\ntwo\n' },
    { what: 'a truncated line longer than a read step', left: `one\n${'x'.repeat(200_000)}`, kept: 'one\n' },
    {
      what: 'a line end at the boundary of a read step',
      left: `${'x'.repeat(65_535)}\n${'y'.repeat(65_536)}`,
      kept: `${'x'.repeat(65_535)}\n`,
    },
  ])('atomic-write', 'continues after the last whole line if a kill left $what', async ({ left, kept }) => {
    const directory = folder();
    writeFileSync(join(directory, 'work.partial.jsonl'), left);
    writeFileSync(join(directory, 'work.journal'), left);
    const journal = await opened(directory, true);
    expect(journal.continued).toBe(kept !== '');
    await journal.results.append('new\n');
    expect([await textOf(journal.results), await textOf(journal.notes)]).toEqual([`${kept}new\n`, kept]);
    await journal.remove();
    expectNone(readdirSync(directory), 'files');
  });

  scenario('atomic-write', 'never replaces a file, including its own earlier results', async () => {
    const directory = folder();
    writeFileSync(join(directory, 'done.jsonl'), 'old');
    writeFileSync(join(directory, 'work.partial.jsonl'), 'earlier\n');
    const journal = await opened(directory, false);
    expect(journal.previous).toMatchObject({ name: 'work.jsonl' });
    expect(journal.continued).toBe(false);
    await journal.results.append('new\n');
    expect(await journal.commit('done.jsonl', 'text/plain')).toMatchObject({ name: 'done (1).jsonl' });
    expect(readdirSync(directory).sort()).toEqual(['done (1).jsonl', 'done.jsonl', 'work.jsonl']);
    expect(readFileSync(join(directory, 'done.jsonl'), 'utf8')).toBe('old');
    expect(readFileSync(join(directory, 'work.jsonl'), 'utf8')).toBe('earlier\n');
  });

  test.each([
    { what: 'fewer', second: 'x\n', resumed: ['a\nb\n', 'first\n'], kept: ['work (1).jsonl'] },
    { what: 'no', second: '', resumed: ['a\nb\n', 'first\n'], kept: [] },
    { what: 'more', second: 'x\ny\nz\n', resumed: ['x\ny\nz\n', 'second\n'], kept: ['work.jsonl'] },
  ])('resumes the earlier run if a later run has $what results', async ({ second, resumed, kept }) => {
    const directory = folder();
    for (const [results, notes] of [
      ['a\nb\n', 'first\n'],
      [second, 'second\n'],
    ] as const) {
      const run = await opened(directory, false);
      expect(run.earlier?.name).toBe(notes === 'first\n' ? undefined : 'work.jsonl');
      await run.results.append(results);
      await run.notes.append(notes);
      await run.suspend();
    }
    const run = await opened(directory, true);
    expect([await textOf(run.results), await textOf(run.notes)]).toEqual(resumed);
    await run.remove();
    expect(readdirSync(directory)).toEqual(kept);
  });

  test('that cannot be written is a ConfigurationError', async () => {
    await expect(opened('/dev/null/nowhere', false)).rejects.toBeInstanceOf(ConfigurationError);
  });
});

describe('the lock of a journal', () => {
  const lockIn = (directory: string) => join(directory, 'work.lock');
  scenario('two-writers', 'refuses a second owner with the names of lock and process', async () => {
    const directory = folder();
    const journal = await opened(directory, false);
    for (const resume of [true, false]) {
      const error: unknown = await opened(directory, resume).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConflictError);
      expect(String(error)).toContain(
        `${lockIn(directory)} belongs to process ${process.pid} on ${hostname()}, since 20`,
      );
    }
    await journal.suspend();
    await (await opened(directory, true)).suspend();
  });
});

describe('a process with a bulk scan', () => {
  const PROMPTS = promptsFor(165);
  const built = program();

  /** A service that counts its requests and may fail them instead of answering. */
  async function served(meet: (count: number) => void) {
    const service = createService({ processingMs: 150 });
    let count = 0;
    const handle: Service['handle'] = (request, clock) => {
      count += 1;
      meet(count);
      return service.handle(request, clock);
    };
    const { origin, close } = await startServer({ ...service, handle }, { port: 0 });
    closers.push(close);
    return { settings: service.settings(origin), close };
  }

  // A failed test must not leave a server that keeps the test run from ending.
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(closers.splice(0).map((close) => close()));
  });

  function startScan(environment: Record<string, string>, directory: string, more = '', format = 'json'): ChildProcess {
    const line = `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=file entry_id=${join(directory, 'in.txt')} concurrency=1 ${more}`;
    const options = ['--files-dir', directory, '--context-limit', '9000', '--output', format];
    return start(built, [...options, line], { folder: directory, environment });
  }

  function prepared(): string {
    const directory = folder();
    writeFileSync(join(directory, 'in.txt'), PROMPTS.join('\n'));
    return directory;
  }

  const filesIn = (directory: string) => readdirSync(directory).filter((name) => name !== 'in.txt');
  const rowsIn = (directory: string) =>
    linesIn(readFileSync(join(directory, 'AiSec-BulkScan.jsonl'), 'utf8')).map(outcomeOf);
  const expected = PROMPTS.map((prompt, index) => ({
    row: index + 1,
    prompt,
    action: index % 7 === 6 ? 'block' : 'allow',
    category: index % 7 === 6 ? 'malicious' : 'benign',
    status: 'complete',
    prompt_detected: expect.objectContaining({ injection: index % 7 === 6 }),
  }));

  scenario.each([{ at: 2 }, { at: 10 }])(
    ['bulk-resume', 'atomic-write'],
    'that is killed with -9 at request $at leaves no partial file, and a rerun has every row once',
    async ({ at }) => {
      const directory = prepared();
      const running: { child?: ChildProcess } = {};
      const service = await served((count) => {
        if (count === at) running.child?.kill('SIGKILL');
      });
      const child = startScan(service.settings, directory);
      running.child = child;
      expect(await ended(child)).toMatchObject({ code: null, signal: 'SIGKILL', stdout: '' });
      expect(filesIn(directory)).toHaveLength(3);
      expect(filesIn(directory)).not.toContain('AiSec-BulkScan.jsonl');
      const rest = await ended(startScan(service.settings, directory, 'resume=true'));

      expect({ code: rest.code, stderr: rest.stderr }).toMatchObject({ code: 0 });
      expect(filesIn(directory)).toEqual(['AiSec-BulkScan.jsonl']);
      expect(rowsIn(directory)).toEqual(expected);
    },
  );

  scenario.each([{ format: 'jsonl' }, { format: 'table' }])(
    'double-scan-said',
    'that was killed says on stderr how many prompts may have been scanned twice, with --output $format',
    async ({ format }) => {
      const directory = prepared();
      const running: { child?: ChildProcess } = {};
      const service = await served((count) => {
        if (count === 2) running.child?.kill('SIGKILL');
      });
      running.child = startScan(service.settings, directory);
      await ended(running.child);
      const rest = await ended(startScan(service.settings, directory, 'resume=true', format));
      expect(rest).toMatchObject({ code: 0, stderr: expect.stringMatching(/^warning: 20 prompts were being sent/m) });
    },
    20_000,
  );

  scenario(
    ['abort', 'two-writers'],
    'ends with 130 on Ctrl-C, with its result on stdout and on disk; while it runs, resume=true is refused',
    async () => {
      const directory = prepared();
      const running: { child?: ChildProcess } = {};
      let second: Promise<Ended> | undefined;
      const service = await served((count) => {
        if (count !== 5) return;
        // While stopped, it is still running when the second process starts, however long that takes.
        running.child?.kill('SIGSTOP');
        second = ended(startScan(service.settings, directory, 'resume=true'));
      });
      const child = startScan(service.settings, directory, 'requests_per_second=8');
      running.child = child;
      const first = ended(child);
      await until(() => second !== undefined);
      const refused = await second;
      expect(refused).toMatchObject({ code: 5, stdout: '' });
      expect(refused?.stderr).toMatch(new RegExp(`bulk-scan-[0-9a-f]{16}\\.lock belongs to process ${child.pid} on`));
      child.kill('SIGINT');
      child.kill('SIGCONT');
      const stopped = await first;
      const { outputs } = JSON.parse(stopped.stdout) as { outputs: Record<string, { total: number }> };
      expect(stopped.code).toBe(130);
      expect(stopped.stderr).toContain('"code":"cancelled"');
      expect(stopped.stderr).not.toMatch(/unhandled|\bat .*:\d+:\d+/i);
      const [partial = ''] = filesIn(directory).filter((name) => name.endsWith('.partial.jsonl'));
      expect(linesIn(readFileSync(join(directory, partial), 'utf8'))).toHaveLength(
        outputs['AiSec.BulkScan']?.total ?? -1,
      );
      expect(await ended(startScan(service.settings, directory, 'resume=true'))).toMatchObject({ code: 0 });

      expect(rowsIn(directory)).toEqual(expected);
    },
  );
});
