import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { ConflictError } from '../../../lib/core/errors.ts';
import { kernelLock } from '../../../lib/node/locks/kernel-lock.ts';
import { type LockOptions, lock } from '../../../lib/node/locks/lock.ts';
import { ownerText } from '../../../lib/node/locks/lock-owner.ts';
import { thisProcess } from '../../../lib/node/process.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { machineClock, until } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { contenders, noContainers } from './contenders.ts';

const HOUR_S = 3600;
/** As on a system whose kernel has no such locks. */
const alone = { kernel: { hold: async () => false, isHeld: async () => undefined } };
const hasKernelLocks = spawnSync('flock', ['--version']).error === undefined;
const isLinux = process.platform === 'linux';

const why = [
  isLinux ? undefined : 'processes are identified by /proc, which only Linux has',
  hasKernelLocks ? undefined : 'there is no flock program',
].filter((reason) => reason !== undefined);
if (why.length > 0) process.stdout.write(`skipped: ${why.join('; ')}\n`);

const path = () => join(temporaryFolder('lock'), 'work.lock');

type Changes = Record<string, unknown> & { linux?: Record<string, unknown> };

/** The text of a lock file whose owner differs from this process in some respect. */
function owner({ linux = {}, ...changes }: Changes = {}): string {
  const mine = JSON.parse(ownerText(thisProcess(), false)) as { linux?: object };
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

/** The error, or undefined when the lock was taken; it is given back. */
async function refusal(file: string, options: LockOptions): Promise<unknown> {
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

/** A process that was killed and that its parent never asks for: containers without an init have them. */
async function zombie(): Promise<{ pid: number; start: string; end: () => void }> {
  const script = 'cat <&3 >/dev/null & echo $!; exec sleep 600 3<&-';
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  const [line] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
  const pid = Number(String(line));
  // A shell would ask for its child; the program that takes its place does not.
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
  (parent.stdio[3] as Writable).end();
  while (lineOf(pid).state !== 'Z') await new Promise((resolve) => setTimeout(resolve, 5));
  return { pid, start: lineOf(pid).start, end: () => void parent.kill('SIGKILL') };
}

const onLinux = isLinux ? describe : describe.skip;

onLinux('the owner of a lock', () => {
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
    const file = lockedBy(await text());
    for (const options of [alone, {}]) expect(await refusal(file, options)).toBeUndefined();
  });

  scenario('lock-owner', 'that was killed and is a zombie is dead', async () => {
    const { pid, start: began, end } = await zombie();
    try {
      expect(await refusal(lockedBy(owner({ process: pid, linux: { start: began } })), alone)).toBeUndefined();
    } finally {
      end();
    }
  });

  scenario('lock-owner', 'that is alive keeps its lock under any program name', async () => {
    const program = join(temporaryFolder('lock'), 'a) Z 1 (b');
    // The kernel calls a script by its own name.
    writeFileSync(program, '#!/bin/sh\nread line\n', { mode: 0o700 });
    const child = spawn(program, [], { stdio: ['pipe', 'ignore', 'ignore'] });
    const { pid = 0 } = child;
    try {
      while (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes('Z 1')) await new Promise(setImmediate);
      const file = lockedBy(owner({ process: pid, linux: { start: lineOf(pid).start } }), HOUR_S);
      expect(await refusal(file, alone)).toBeInstanceOf(ConflictError);
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
    {
      what: 'a process on another machine with locks of its kernel, which end there',
      text: owner({ process: 7, kernel: true, ...anotherMachine }),
      named: 'process 7 on another-machine, since 20',
    },
    { what: 'a text that names no owner', text: 'x', named: 'another process' },
    { what: 'nothing', text: '', named: 'another process' },
  ])(
    ['lock-owner', 'two-writers'],
    'that is $what keeps a lock that it has just refreshed',
    async ({ text, named }) => {
      for (const options of [alone, {}]) {
        const file = lockedBy(text);
        const error = await refusal(file, options);
        expect(error).toBeInstanceOf(ConflictError);
        expect(String(error)).toContain(`${file} belongs to ${named}`);
        expect(readFileSync(file, 'utf8')).toBe(text);
      }
    },
  );

  scenario.each([
    { what: 'in another container', changes: elsewhere, ago: HOUR_S },
    { what: 'on another machine', changes: anotherMachine, ago: HOUR_S },
    { what: 'on a machine whose clock was put back', changes: anotherMachine, ago: -HOUR_S },
  ])('lock-owner', 'that cannot be seen $what loses a lock that it no longer refreshes', async (row) => {
    const file = lockedBy(owner({ process: 1, ...row.changes }), row.ago);
    expect(await refusal(file, { ...alone, heartbeatMs: 10 })).toBeUndefined();
  });

  scenario.each([{ ago: HOUR_S }, { ago: -HOUR_S }])(
    ['lock-owner', 'clock-jump'],
    'keeps a lock that it refreshes, with any clock: $ago s ago',
    async ({ ago }) => {
      const file = lockedBy(owner({ process: 1, ...elsewhere }), ago);
      const real = await open(file, 'r');
      let beats = 0;
      // It beats as it is looked at, however busy the machine is.
      const timer = setInterval(() => {
        beats += 1;
        const then = machineClock.now() / 1000 - ago + beats / 100;
        utimesSync(file, then, then);
      }, 10);
      try {
        expect(await refusal(file, { ...alone, heartbeatMs: 400 })).toBeInstanceOf(ConflictError);
        expect(beats).toBeGreaterThan(0);
      } finally {
        clearInterval(timer);
        await real.close();
      }
    },
  );
});

describe('a lock', () => {
  scenario('lock-owner', 'is readable only by its owner, and leaves nothing behind', async () => {
    const file = path();
    const mine = await lock(file);
    const handle = await open(file);
    expect((await handle.stat()).mode & 0o777).toBe(0o600);
    await handle.close();
    await mine.confirm();
    await mine.release();
    expectNone(readdirSync(join(file, '..')), 'files beside the lock');
  });

  test('that was removed or taken over is noticed, and not released', async () => {
    const file = path();
    const mine = await lock(file, { ...alone, heartbeatMs: 5 });
    mine.check();
    writeFileSync(file, 'theirs');
    await expect(mine.confirm()).rejects.toThrow(ConflictError);
    expect(() => mine.check()).toThrow(ConflictError);
    await mine.release();
    expect(readFileSync(file, 'utf8')).toBe('theirs');
  });

  test('shows by its heartbeat that its owner is alive, and when the owner has lost it', async () => {
    const file = path();
    const mine = await lock(file, { ...alone, heartbeatMs: 5 });
    utimesSync(file, 1, 1);
    const modified = async () => {
      const handle = await open(file);
      const { mtimeMs } = await handle.stat();
      await handle.close();
      return mtimeMs;
    };
    while ((await modified()) === 1000) await new Promise((resolve) => setTimeout(resolve, 5));
    writeFileSync(file, 'theirs');
    const isLost = () => {
      try {
        mine.check();
        return false;
      } catch {
        return true;
      }
    };
    while (!isLost()) await new Promise((resolve) => setTimeout(resolve, 5));
    await mine.release();
  });
});

(isLinux && hasKernelLocks ? describe : describe.skip)('the kernel’s lock', () => {
  scenario('lock-owner', 'keeps the lock of a living owner in another container at any age', async () => {
    const file = lockedBy(owner({ process: 1, kernel: true, ...elsewhere }), HOUR_S);
    const theirs = await open(file, 'r+');
    expect(await kernelLock().hold(theirs)).toBe(true);
    expect(await refusal(file, {})).toBeInstanceOf(ConflictError);
    await theirs.close();
    expect(await refusal(file, {})).toBeUndefined();
  });

  scenario('lock-owner', 'releases the lock of a killed container at once', async () => {
    expect(await refusal(lockedBy(owner({ process: 1, kernel: true, ...elsewhere })), {})).toBeUndefined();
  });
});

describe('eight contenders for the lock of a dead owner', () => {
  const stale = () => owner({ process: 1, linux: { start: '1' } });
  const start = contenders();

  scenario.each([
    { what: 'with locks of the kernel', rounds: 12, alone: false, text: () => owner({ kernel: true, ...elsewhere }) },
    { what: 'without', rounds: 40, alone: true, text: stale },
  ])(
    ['lock-owner', 'two-writers'],
    'in separate processes, $what, have exactly one owner',
    async ({ rounds, text, alone: isAlone }) => {
      const all = Array.from({ length: 8 }, () => start());
      for (let turn = 0; turn < rounds; turn += 1) {
        const file = path();
        writeFileSync(file, text());
        const outcomes = await Promise.all(all.map((each) => each.take({ path: file, alone: isAlone })));
        const won = all.filter((_, at) => outcomes[at] === 'mine');
        const lost = outcomes.filter((outcome) => outcome.includes(`${file} belongs to process ${won[0]?.pid} on`));
        expect({ turn, won: won.length, lost: lost.length }).toEqual({ turn, won: 1, lost: 7 });
        await won[0]?.release();
        expectNone(readdirSync(join(file, '..')), 'files beside the lock');
      }
    },
    120_000,
  );
});

if (noContainers !== undefined) process.stdout.write(`skipped: no containers of processes: ${noContainers}\n`);
const inContainers = noContainers === undefined ? describe : describe.skip;

inContainers('two containers that share a directory, each with a process 1', () => {
  const start = contenders();

  scenario.each([
    { what: 'with locks of the kernel', alone: !hasKernelLocks, expired: {} },
    { what: 'without', alone: true, expired: { leaseMs: 200, heartbeatMs: 50 } },
  ])(
    'lock-owner',
    '$what: exactly one owner holds the lock, and the next gets it after kill -9, repeatedly',
    async ({ alone: isAlone, expired }) => {
      const wanted = { path: path(), alone: isAlone, heartbeatMs: 50 };
      let living = start('container');
      expect(await living.take(wanted)).toBe('mine');
      for (let turn = 0; turn < 3; turn += 1) {
        const next = start('container');
        expect(await next.take(wanted)).toContain(`process 1 on ${thisProcess().host} in another container`);
        await living.kill();
        let outcome = '';
        // Without the kernel, the lock of a dead process must also expire, which takes a minute by default.
        for (let tries = 0; tries < 200 && outcome !== 'mine'; tries += 1) {
          outcome = await next.take({ ...wanted, ...expired });
        }
        expect(outcome).toBe('mine');
        living = next;
      }
    },
    60_000,
  );
});
