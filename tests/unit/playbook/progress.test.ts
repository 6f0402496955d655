/** `aisec playbook` shows how far it is: a bar on a terminal, a line every 30 seconds in a log. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createService } from '../../../fixtures/service/index.ts';
import type { Service } from '../../../fixtures/service/types.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type Given, run } from '../report/support.ts';
import { compares, decides, runs, sample, start, title } from './rehearsal.ts';

const scan = (prompt: string, next: readonly string[]) =>
  runs('aisec-runtime-scan', { profile_name: 'prod', prompt }, next);

/** A playbook that scans, leaves a branch out, and scans again. */
const PLAYBOOK = sample({
  0: start('1'),
  1: scan('hello', ['2']),
  2: decides({ yes: [[compares('isExists', 'inputs.nothing')]] }, { yes: ['3'], '#default#': ['4'] }),
  3: title('4'),
  4: scan('bye', ['5']),
  5: title(),
});

function playbook(given: Given, ...more: readonly string[]) {
  const file = join(temporaryFolder('playbook'), 'p.yml');
  writeFileSync(file, stringify(PLAYBOOK));
  return run(['playbook', file, ...more], { ...given, environment: { NO_COLOR: '1' } });
}

const TERMINAL = { terminal: { columns: 80, rows: 24 } };

test('a bar below the lines of the tasks counts those that ran, and those that were left out', async () => {
  const { code, stdout, stderr } = await playbook(TERMINAL);
  expect(code).toBe(0);
  const shown = stderr
    .split('\r\u001b[2K')
    .flatMap((line) => /[█░] +(\d+ %).*?(\d of 6 tasks)/.exec(line)?.slice(1) ?? []);
  expect([...new Set(shown)].join(' ')).toBe(
    '0 % 0 of 6 tasks 16 % 1 of 6 tasks 33 % 2 of 6 tasks 66 % 4 of 6 tasks 83 % 5 of 6 tasks',
  );
  expect(stderr.endsWith('\r\u001b[2K')).toBe(true);
  expect(stdout.match(/^\d {2}.*/gm)).toHaveLength(5);
});

test('--quiet shows no bar', async () => {
  expect((await playbook(TERMINAL, '--quiet')).stderr).toBe('');
});

test('a log gets a line every 30 seconds', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  try {
    const service = createService();
    const handle: Service['handle'] = (request, clock) => {
      if (request.url.includes('/scan/')) jest.advanceTimersByTime(31_000);
      return service.handle(request, clock);
    };
    const { stderr } = await playbook({ service: { ...service, handle } });
    expect(stderr.split('\n').filter((line) => line.includes(' tasks'))).toEqual([
      expect.stringMatching(/: 1 of 6 tasks \(30 s\)$/),
      expect.stringMatching(/: 4 of 6 tasks, .* left \(1 min 0 s\)$/),
    ]);
  } finally {
    jest.useRealTimers();
  }
});
