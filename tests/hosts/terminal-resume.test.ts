/** A bulk scan that did not end: how a person learns of it, and goes on with it. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bulkScan } from '../../commands/runtime/bulk-scan.ts';
import { parseLine } from '../../lib/arguments/argv.ts';
import type { Invocation } from '../../lib/arguments/lexer.ts';
import { resumeLine } from '../../lib/hosts/terminal/views/resuming.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Given, run } from '../unit/report/support.ts';

function place() {
  const folder = temporaryFolder('resume');
  const file = join(folder, 'bulk.csv');
  writeFileSync(file, ['prompt', ...Array.from({ length: 8 }, (_, at) => `Prompt ${at + 1}`)].join('\n'));
  const typed = `runtime-bulk-scan profile_name=prod file=${file} output_file=k.jsonl`;
  const line = `aisec ${typed} resume=true --simulate --files-dir=${folder}`;
  /** Scans, with Ctrl-C at a request. */
  const scan = async (more: readonly string[], stopAt = 0, signal: NodeJS.Signals = 'SIGINT') => {
    let requests = 0;
    const alter: Required<Given>['alter'] = (path, response) => {
      if (path.endsWith('/sync/request') && ++requests === stopAt) process.emit(signal, signal);
      return response;
    };
    const words = [...typed.split(' '), 'concurrency=1', ...more, '--files-dir', folder];
    const { code, stdout, stderr } = await run(words, { alter });
    return { code, stdout, stderr, requests };
  };
  return { folder, line: line.replace(' resume', ' concurrency=1 resume'), scan };
}

describe('a bulk scan that was stopped', () => {
  test('by SIGTERM ends with 143, and prints the line that resumes it', async () => {
    const { line, scan } = place();
    const { code, stderr } = await scan([], 4, 'SIGTERM');
    expect({ code, stderr }).toEqual({ code: 143, stderr: expect.stringContaining(line) });
  });

  test('is resumed by the line that Ctrl-C prints, and told before it is begun again', async () => {
    const { folder, line, scan } = place();
    const first = await scan([], 4);
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 130, stderr: expect.stringContaining(line) });
    const second = await scan(['--output', 'json'], 2);
    const said = second.stderr.split('\n')[0] ?? '';
    expect(said).toMatch(/^note: An unfinished run of these prompts has \d+ results, and this one begins again\./);
    expect(said.endsWith(` stop this one and run: ${line}`)).toBe(true);
    const third = await scan(['resume=true', '--output', 'json']);
    expect(third.code).toBe(0);
    expect(third.stdout).toContain('"total":8');
    const results = Number(/has (\d+) results/.exec(said)?.[1]);
    expect(results).toBeGreaterThan(0);
    expect(third.stdout).toContain(`Resumed a run with ${results} row`);
    expect(third.requests).toBeLessThan(8);
    expect(readdirSync(folder).filter((name) => /journal|partial|lock/.test(name))).toEqual([]);
  });

  test('is not mentioned if it ended, or with --quiet', async () => {
    const { scan } = place();
    await scan([]);
    expect((await scan([], 4)).stderr).not.toContain('unfinished run');
    expect((await scan(['--quiet'])).stderr).not.toContain('unfinished run');
  });
});

describe('the line that resumes', () => {
  const lineOf = (typed: string | Invocation) =>
    resumeLine(
      typeof typed === 'string' ? parseLine(`!aisec-runtime-bulk-scan profile_name=p ${typed}`) : typed,
      bulkScan,
    );

  test.each([
    ['file="my prompts.csv"', 'file="my prompts.csv" resume=true'],
    ['prompts_csv=file entry_id=a.csv resume=false', 'entry_id=a.csv resume=true'],
    ['prompts_csv=@file:a.txt', 'prompts_csv=@file:a.txt resume=true'],
  ])('repeats %s', (typed, end) => {
    expect(lineOf(typed)).toBe(`!aisec-runtime-bulk-scan profile_name=p ${end}`);
  });

  test.each(['prompts_csv="my card is"', '"my card is"', 'file=-', 'prompts_csv=@-', `file=\${a.b}`, 'unknown=x'])(
    'is not written for %s',
    (typed) => expect(lineOf(typed)).toBeUndefined(),
  );
});
