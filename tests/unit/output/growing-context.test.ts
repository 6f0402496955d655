import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { GrowingContext } from '../../../lib/runtime/output/merge.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../report/support.ts';

describe('the context of a session', () => {
  const value = 'x'.repeat(6_000_000);

  test.each([
    { text: 'ASCII', value },
    { text: 'three bytes a character', value: '\u4e2d'.repeat(2_000_000) },
    { text: 'four bytes a pair', value: '\u{1f600}'.repeat(1_500_000) },
  ])('is full if its values have too many bytes, before the next command runs: $text', ({ value }) => {
    const context = new GrowingContext();
    for (const path of ['A', 'B']) {
      context.checkRoom();
      context.add([{ path, value }]);
    }
    expect(() => context.checkRoom()).toThrow('The context has more than 10000000 bytes.');
  });

  test('has room for values that replace others', () => {
    const context = new GrowingContext({ A: 'old' });
    for (let at = 0; at < 4; at += 1) {
      context.checkRoom();
      context.add([{ path: 'A', key: [], value }]);
    }
    expect(context.value).toEqual({ A: value });
  });
});

describe('the context of a terminal', () => {
  const folder = temporaryFolder('context');
  const text = '\u4e2d'.repeat(400_000);
  const scan = `runtime-scan profile_name=prod prompt=${text}`;
  const limited = ['--context-limit', '1', '--files-dir', folder, '--output', 'jsonl'];
  const FULL = 'The context has more than 1000000 bytes.';

  test.each([
    { lines: [scan, 'runtime-topics-list'], code: 5, says: FULL },
    { lines: [`${scan} ignore-outputs=true`, 'runtime-topics-list limit=1'], code: 0, says: '' },
    { lines: [scan], code: 0, says: '' },
  ])('is bounded in bytes in a pipe: exit $code after $lines.length lines', async ({ lines, code, says }) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: false });
    stdin.end(`${lines.join('\n')}\n`);
    const done = await run(limited, { parts: { stdin } });
    expect(done).toMatchObject({ code, stderr: expect.stringContaining(says) });
  });

  test('is bounded in a war room, which continues', async () => {
    const file = join(folder, 'text.txt');
    writeFileSync(file, text);
    const { code, stderr } = await run(limited, {
      terminal: { columns: 80, rows: 24 },
      environment: { XDG_STATE_HOME: folder },
      typed: `runtime-scan profile_name=prod prompt=@file:${file}\rruntime-topics-list\rexplain last\rexit\r`,
    });
    expect({ code, times: stderr.split(FULL).length - 1 }).toEqual({ code: 0, times: 1 });
  });

  test('is bounded in a playbook', async () => {
    const file = join(folder, 'playbook.yml');
    const tasks = [0, 1, 2].map((at) => ({
      id: String(at),
      taskid: String(at),
      type: at === 0 ? 'start' : 'regular',
      task: at === 0 ? { id: '0', name: '' } : { id: String(at), name: `Scan ${at}`, script: '|||aisec-runtime-scan' },
      scriptarguments: at === 0 ? {} : { profile_name: { simple: 'prod' }, prompt: { simple: text } },
      nexttasks: at === 2 ? {} : { '#none#': [String(at + 1)] },
    }));
    const playbook = {
      id: 'p',
      name: 'p',
      starttaskid: '0',
      tasks: Object.fromEntries(tasks.map((task) => [task.id, task])),
    };
    writeFileSync(file, JSON.stringify(playbook));
    const { code, stderr } = await run(['playbook', file, ...limited.slice(0, 4)]);
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(FULL) });
  });
});
