import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError } from '../../../lib/core/errors.ts';
import { type LockOptions, lock, ownerText } from '../../../lib/node/files/lock.ts';
import { thisProcess } from '../../../lib/node/system/process.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { machineClock, until } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { contenders, noContainers } from './contenders.ts';

const HOUR_S = 3600;
const isLinux = process.platform === 'linux';
if (!isLinux) process.stdout.write('skipped: processes are identified by /proc, which only Linux has\n');

const path = () => join(temporaryFolder('lock'), 'work.lock');

type Changes = Record<string, unknown> & { linux?: Record<string, unknown> };

/** The text of a lock file whose owner differs from this process in some respect. */
function owner({ linux = {}, ...changes }: Changes = {}): string {
  const mine = JSON.parse(ownerText(thisProcess())) as { linux?: object };
  return JSON.stringify({ ...mine, ...changes, linux: { ...mine.linux, ...linux } });
}

const elsewhere = { linux: { namespace: 'pid:[1]' } };
const anotherMachine = { host: 'another-machine', linux: { boot: 'another-boot' } };

function lockedBy(text: string, modifiedSecondsAgo = 0): string {
  const file = path();
  writeFileSync(file, text);
  const then = machineClock.now() / 1000 - modifiedSecondsAgo;
  utimesSync(file, then, then);
  return file;
}

/** The error, or undefined if the lock was taken; it is released again. */
async function refusal(file: string, options: LockOptions = {}): Promise<unknown> {
  try {
    await (await lock(file, options)).release();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

/** Reads the state of a process from /proc. */
function lineOf(pid: number): { state: string | undefined; start: string } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return { state: fields[0], start: fields[19] ?? '' };
}

/** A killed process whose parent never reaps it: containers without an init have them. */
async function zombie(): Promise<{ pid: number; start: string; end: () => void }> {
  const script = 'cat <&3 >/dev/null & echo $!; exec sleep 600 3<&-';
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  const [line] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
  const pid = Number(String(line));
  // A shell would reap its child; the program that replaces the shell does not.
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
  (parent.stdio[3] as Writable).end();
  await until(() => lineOf(pid).state === 'Z');
  return { pid, start: lineOf(pid).start, end: () => void parent.kill('SIGKILL') };
}

(isLinux ? describe : describe.skip)('the owner of a lock', () => {
  const thread = Number(readdirSync('/proc/self/task').find((id) => Number(id) !== process.pid));

  scenario.each([
    { what: 'a dead process', text: async () => owner({ process: await deadProcess() }) },
    { what: 'another process that got its number', text: () => owner({ linux: { start: '1' } }) },
    { what: 'a thread that got its number', text: () => owner({ process: thread, linux: { start: '1' } }) },
    {
      what: 'a process 1 in an earlier container of the same namespace number',
      text: () => owner({ process: 1, linux: { start: '1' } }),
    },
  ])('lock-owner', 'that was $what is dead, and its lock is free', async ({ text }) => {
    expect(await refusal(lockedBy(await text()))).toBeUndefined();
  });

  scenario('lock-owner', 'that was killed and is a zombie is dead', async () => {
    const { pid, start: began, end } = await zombie();
    try {
      expect(await refusal(lockedBy(owner({ process: pid, linux: { start: began } })))).toBeUndefined();
    } finally {
      end();
    }
  });

  scenario('lock-owner', 'that is alive keeps its lock under any program name', async () => {
    const program = join(temporaryFolder('lock'), 'a) Z 1 (b');
    // The kernel names a script by its own name.
    writeFileSync(program, '#!/bin/sh\nread line\n', { mode: 0o700 });
    const child = spawn(program, [], { stdio: ['pipe', 'ignore', 'ignore'] });
    const { pid = 0 } = child;
    try {
      await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes('Z 1'));
      const file = lockedBy(owner({ process: pid, linux: { start: lineOf(pid).start } }), HOUR_S);
      expect(await refusal(file)).toBeInstanceOf(ConflictError);
    } finally {
      child.kill('SIGKILL');
    }
  });

  scenario.each([
    { what: 'this very process', text: owner(), named: `process ${process.pid} on ${thisProcess().host}, since 20` },
    {
      what: 'a process in another container',
      text: owner({ process: 1, ...elsewhere }),
      named: `process 1 on ${thisProcess().host} in another container, since 20`,
    },
    {
      what: 'a process on another machine',
      text: owner({ process: 7, ...anotherMachine }),
      named: 'process 7 on another-machine, since 20',
    },
    { what: 'a text without an owner', text: 'x', named: 'another process' },
    { what: 'nothing', text: '', named: 'another process' },
  ])(
    ['lock-owner', 'two-writers'],
    'that is $what keeps a lock that it has just refreshed',
    async ({ text, named }) => {
      const file = lockedBy(text);
      const error = await refusal(file);
      expect(error).toBeInstanceOf(ConflictError);
      expect(String(error)).toContain(`${file} belongs to ${named}`);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  scenario.each([
    { what: 'in another container', text: owner({ process: 1, ...elsewhere }), ago: HOUR_S },
    { what: 'on another machine', text: owner({ process: 1, ...anotherMachine }), ago: HOUR_S },
    { what: 'on a machine whose clock was set back', text: owner({ process: 1, ...anotherMachine }), ago: -HOUR_S },
    { what: 'because it was killed before it had written its name', text: '', ago: HOUR_S },
  ])('lock-owner', 'that cannot be seen $what loses a lock that it no longer refreshes', async ({ text, ago }) => {
    expect(await refusal(lockedBy(text, ago), { heartbeatMs: 10 })).toBeUndefined();
  });

  scenario.each([{ ago: HOUR_S }, { ago: -HOUR_S }])(
    ['lock-owner', 'clock-jump'],
    'keeps a lock that it refreshes, with any clock: $ago s ago',
    async ({ ago }) => {
      const file = lockedBy(owner({ process: 1, ...elsewhere }), ago);
      let beats = 0;
      // Its heartbeat comes when it is read, however busy the machine is.
      const timer = setInterval(() => {
        beats += 1;
        const then = machineClock.now() / 1000 - ago + beats / 100;
        utimesSync(file, then, then);
      }, 10);
      try {
        expect(await refusal(file, { heartbeatMs: 400 })).toBeInstanceOf(ConflictError);
        expect(beats).toBeGreaterThan(0);
      } finally {
        clearInterval(timer);
      }
    },
  );
});

describe('a lock', () => {
  test('shows by its heartbeat that its owner is alive, and when the owner has lost it', async () => {
    const file = path();
    const mine = await lock(file, { heartbeatMs: 5 });
    utimesSync(file, 1, 1);
    await until(() => statSync(file).mtimeMs !== 1000);
    writeFileSync(file, 'theirs');
    const isLost = () =>
      mine.check().then(
        () => false,
        () => true,
      );
    while (!(await isLost())) await sleep(5);
    await mine.release();
  });
});

describe('eight contenders for the lock of a dead owner', () => {
  const start = contenders();

  scenario(
    ['lock-owner', 'two-writers'],
    'in separate processes have exactly one owner',
    async () => {
      const all = Array.from({ length: 8 }, () => start());
      for (let turn = 0; turn < 40; turn += 1) {
        const file = path();
        writeFileSync(file, owner({ process: 1, linux: { start: '1' } }));
        const outcomes = await Promise.all(all.map((each) => each.take({ path: file })));
        const won = all.filter((_, at) => outcomes[at] === 'mine');
        const lost = outcomes.filter((outcome) => outcome.includes(`${file} belongs to process ${won[0]?.pid} on`));
        expect({ turn, won: won.length, lost: lost.length }).toEqual({ turn, won: 1, lost: 7 });
        await won[0]?.release();
        expectNone(readdirSync(join(file, '..')), 'files next to the lock');
      }
    },
    120_000,
  );
});

if (noContainers !== undefined) process.stdout.write(`skipped: no containers of processes: ${noContainers}\n`);

(noContainers === undefined ? describe : describe.skip)(
  'two containers that share a directory, each with a process 1',
  () => {
    const start = contenders();
    const times = { heartbeatMs: 50, leaseMs: 200 };

    /** Retries until the other container's lock has expired. */
    async function taken(next: ReturnType<typeof start>, file: string): Promise<string> {
      let outcome = '';
      for (let tries = 0; tries < 200 && outcome !== 'mine'; tries += 1) {
        outcome = await next.take({ path: file, ...times });
        await sleep(10);
      }
      return outcome;
    }

    scenario(
      'lock-owner',
      'exactly one owner holds the lock, and the next gets it after kill -9, repeatedly',
      async () => {
        const file = path();
        let living = start('container');
        expect(await living.take({ path: file, heartbeatMs: 50 })).toBe('mine');
        for (let turn = 0; turn < 3; turn += 1) {
          const next = start('container');
          const held = `process 1 on ${thisProcess().host} in another container`;
          expect(await next.take({ path: file, heartbeatMs: 50 })).toContain(held);
          await living.kill();
          expect(await taken(next, file)).toBe('mine');
          living = next;
        }
      },
      60_000,
    );

    scenario(
      ['lock-owner', 'two-writers'],
      'an owner that was suspended for longer than its lease finds that another process has the lock',
      async () => {
        const file = path();
        const suspended = start('container');
        expect(await suspended.take({ path: file, heartbeatMs: 50 })).toBe('mine');
        suspended.signal('SIGSTOP');
        const next = start('container');
        expect(await taken(next, file)).toBe('mine');
        // Its first answer after the suspension comes from the question, not from a heartbeat.
        const answer = suspended.check();
        suspended.signal('SIGCONT');
        expect(await answer).toContain('Another process has taken the lock');
        expect(await next.check()).toBe('mine');
        await suspended.release();
        expect(await next.check()).toBe('mine');
      },
      60_000,
    );
  },
);
