import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { writeFileAtomically } from '../../../lib/node/files/atomic-write.ts';
import { removeStale, unfinishedPath } from '../../../lib/node/files/unfinished.ts';
import { start as startHere } from '../../hosts/terminal-support.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { machineClock, promptness, until } from '../../support/machine.ts';
import { ended, program, start } from '../../support/program.ts';
import { scenario } from '../scenarios/claims.ts';
import { type Held, heldService, type Moment } from './held-service.ts';
import { CODE_AFTER, MODES, type Mode, UPLOADED, wholeFilesIn } from './modes.ts';

/** More results than fit into a pipe. */
const MANY = 60;
const path = program();
const services: Held[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

function folderWith(): string {
  const folder = temporaryFolder('interrupts');
  writeFileSync(join(folder, 'in.csv'), UPLOADED);
  return folder;
}

function modeOf(what: string): Mode {
  const found = MODES.find((mode) => mode.what === what);
  if (found === undefined) throw new Error(`there is no mode ${what}`);
  return found;
}

interface Launch {
  readonly folder?: string;
  /** `null` never ends. */
  readonly input?: string | null;
  readonly environment?: (settings: Record<string, string>) => Record<string, string>;
  /** The moment of a stop. */
  readonly moment?: Moment;
  readonly act?: (child: ChildProcess) => void;
}

/** Starts a mode in a new process, against its own service. */
async function launch({ words, service: options = {}, input: usual }: Mode, given: Launch = {}) {
  const { folder = folderWith(), input = usual, environment = (settings) => settings, moment, act } = given;
  const running: { child?: ChildProcess } = {};
  const service = await heldService(options, moment, () => {
    if (running.child !== undefined) act?.(running.child);
  });
  services.push(service);
  const child = start(path, words(folder), {
    folder,
    environment: environment(service.settings),
    ...(input === undefined ? {} : { input }),
  });
  running.child = child;
  return { child, folder, service };
}

/** Runs a mode until the moment, sends the signal, and waits for the end. */
async function stopped(mode: Mode, moment: Moment, signal: NodeJS.Signals, folder = folderWith()) {
  let promptly = promptness();
  const act = (child: ChildProcess) => {
    promptly = promptness();
    child.kill(signal);
  };
  const { child } = await launch(mode, { folder, moment, act });
  const end = await ended(child);
  return { ...end, folder, isPrompt: await promptly() };
}

describe('a process that gets a signal', () => {
  scenario.each([
    { what: 'a create', request: 2, step: 'asked', signal: 'SIGTERM' },
    { what: 'a wait before another attempt', request: 2, step: 'answered', signal: 'SIGINT' },
    { what: 'a list that is printed page by page', request: 3, step: 'half', signal: 'SIGTERM' },
    { what: 'an upload', request: 2, step: 'begun', signal: 'SIGINT' },
    { what: 'a download', request: 2, step: 'half', signal: 'SIGTERM' },
    { what: 'a report', request: 9, step: 'begun', signal: 'SIGINT' },
    { what: 'a gate', request: 3, step: 'half', signal: 'SIGTERM' },
    { what: 'a playbook', request: 2, step: 'asked', signal: 'SIGINT' },
    { what: 'the doctor', request: 4, step: 'answered', signal: 'SIGTERM' },
  ] as const)('abort', 'by $signal in $what ends at once with its code', async ({ what, request, step, signal }) => {
    const { code, isPrompt, folder, stderr } = await stopped(modeOf(what), { request, step }, signal);
    expect({ code, isPrompt, files: wholeFilesIn(folder) }).toEqual({
      code: CODE_AFTER[signal],
      isPrompt: true,
      files: [],
    });
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('cancelled')]);
  });

  scenario('abort', 'at any moment leaves a complete file or no file', async () => {
    const mode = modeOf('a download');
    const ends = [60, 120, 180, 240, 300, 360].map(async (delay) => {
      const { child, folder } = await launch(mode);
      const end = ended(child);
      await sleep(delay);
      child.kill('SIGTERM');
      const { code, signal } = await end;
      // Before it listens, the signal has its default effect.
      expect(['143', 'SIGTERM', '0']).toContain(String(code ?? signal));
      expect(mode.files).toEqual(expect.arrayContaining(wholeFilesIn(folder)));
    });
    await Promise.all(ends);
  });

  scenario('abort', 'during a wait for a job prints the job, and says that it continues', async () => {
    const end = await stopped(modeOf('a wait for a job'), { request: 3, step: 'answered' }, 'SIGTERM');
    const { outputs } = JSON.parse(end.stdout) as { outputs: Record<string, { uuid: string }> };
    const uuid = outputs['AiSec.ModelSecurityScanCreate']?.uuid ?? 'no id';
    expect(end.code).toBe(143);
    expect(end.stderr).toContain(`cancelled by SIGTERM: Stopped waiting: the model scan ${uuid}`);
  });

  scenario('abort', 'ends while it reads an idle pipe', async () => {
    const { child } = await launch(modeOf('a pipe of several lines'), { input: null });
    child.stdin?.write('!aisec-runtime-profiles-list\n');
    child.stdout?.once('data', () => child.kill('SIGINT'));
    expect(await ended(child)).toMatchObject({ code: 130 });
  });

  scenario('abort', 'does not wait for a stalled reader, and ends at once on a second signal', async () => {
    const input = `!aisec-redteam-report-attacks-list job_id=${RED_TEAM_IDS.jobs.static}\n`.repeat(MANY);
    const ends = [1, 2].map(async (times) => {
      const { child, service } = await launch(modeOf('a pipe of several lines'), { input });
      const exit = once(child, 'exit');
      for (let seen = 0; seen < 2 || seen < service.requests(); await sleep(150)) seen = service.requests();
      expect(service.requests()).toBeLessThan(MANY);
      const promptly = promptness();
      child.kill('SIGINT');
      await once(child.stderr ?? child, 'data');
      if (times === 2) child.kill('SIGINT');
      const [code, signal] = await exit;
      return { code, signal, isPrompt: await promptly() };
    });
    expect(await Promise.all(ends)).toEqual([
      { code: 130, signal: null, isPrompt: true },
      { code: null, signal: 'SIGINT', isPrompt: true },
    ]);
  });

  scenario('abort', 'does not wait for work that cannot be cancelled', async () => {
    const slow = `import dns from 'node:dns'; dns.lookup = () => { console.error('looking'); setTimeout(() => 0, 30_000); };`;
    const { child } = await launch(modeOf('a read'), {
      environment: (settings) => ({
        ...settings,
        AISEC_TOKEN_URL: (settings['AISEC_TOKEN_URL'] ?? '').replace('127.0.0.1', 'localhost'),
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(slow)}`,
      }),
    });
    let promptly = promptness();
    child.stderr?.once('data', () => {
      promptly = promptness();
      child.kill('SIGTERM');
    });
    const { code, stderr } = await ended(child);
    expect({ code, isPrompt: await promptly() }).toEqual({ code: 143, isPrompt: true });
    expect(stderr).toMatch(/^looking\n.*cancelled/);
  });

  test('as a server ends with 0 on either signal, and its port is free', async () => {
    const ends = (['SIGINT', 'SIGTERM'] as const).map(async (signal) => {
      const child = start(path, ['simulate', '--port', '0'], { folder: folderWith(), environment: {} });
      const end = ended(child);
      const [text] = await once(child.stdout ?? child, 'data');
      const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(String(text))?.[0] ?? 'none';
      // The connection stays open, as a keep-alive connection does.
      expect((await fetch(`${origin}/v1/nothing`)).status).toBeGreaterThan(399);
      const promptly = promptness();
      child.kill(signal);
      expect(await end).toMatchObject({ code: 0, stderr: expect.stringContaining('Ctrl-C stops it.') });
      expect(await promptly()).toBe(true);
      await expect(fetch(origin)).rejects.toThrow();
    });
    await Promise.all(ends);
  });
});

describe('an unfinished file of a killed process', () => {
  scenario('atomic-write', 'has no final name, and is removed by the next write in its folder', async () => {
    const mode = modeOf('a download');
    const folder = folderWith();
    const unfinished = () => readdirSync(folder).filter((name) => name.startsWith('.aisec-'));
    const killed = await launch(mode, {
      folder,
      moment: { request: 2, step: 'half' },
      act: (child) => void until(() => unfinished().length > 0).then(() => child.kill('SIGKILL')),
    });
    expect(await ended(killed.child)).toMatchObject({ signal: 'SIGKILL' });
    expect(unfinished()).toHaveLength(1);
    const { child } = await launch(mode, { folder });
    expect(await ended(child)).toMatchObject({ code: 0 });
    expectNone(unfinished(), 'unfinished files');
    expect(wholeFilesIn(folder)).toEqual(mode.files);
  });

  scenario('atomic-write', 'is kept if its writer may be alive', async () => {
    const folder = temporaryFolder('interrupts');
    const mine = unfinishedPath(folder);
    const elsewhere = mine.replace(/-[0-9a-f]{8}-\d+-/, '-00000000-999999999-');
    // The part before the process number may be digits only.
    const dead = mine.replace(/(-[0-9a-f]{8})-\d+-/, '$1-999999999-');
    for (const file of [mine, elsewhere, dead]) writeFileSync(file, 'half');
    // File times come from the kernel, whatever clock the process has.
    const now = machineClock.now() / 1000;
    for (const file of [mine, elsewhere, dead]) utimesSync(file, now, now);
    await removeStale(folder);
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([elsewhere, mine].sort());
    await removeStale(join(folder, 'nowhere'));
  });

  test('a file named by the user replaces only regular files', async () => {
    const folder = temporaryFolder('interrupts');
    const file = join(folder, 'gate.sarif');
    writeFileSync(file, 'old');
    await writeFileAtomically(file, 'new');
    await writeFileAtomically('/dev/null', 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(readFileSync('/dev/null', 'utf8')).toBe('');
    expect(readdirSync(folder)).toEqual(['gate.sarif']);
  });
});

describe('a war room that gets a signal', () => {
  const HISTORY = ['!aisec-widget-get cog', '!aisec-widget-wait'];

  scenario.each([
    { signal: 'SIGTERM', doing: 'waits for a line', typed: '!aisec-wid' },
    { signal: 'SIGTERM', doing: 'runs a command', typed: '!aisec-widget-wait\r' },
    { signal: 'SIGHUP', doing: 'runs a command', typed: '!aisec-widget-wait\r' },
  ] as const)(
    'abort',
    'by $signal while it $doing ends with its code, its history saved',
    async ({ signal, typed }) => {
      const before = process.listenerCount(signal);
      const room = startHere(['--simulate'], { terminal: true, columns: 100 });
      await room.see('(simulated)');
      room.stdin.write('!aisec-widget-get cog\r');
      await room.see('turns');
      room.stdin.write(typed);
      await room.see(typed.endsWith('\r') ? 'still waiting' : typed);
      process.emit(signal, signal);
      expect(await room.code).toBe(CODE_AFTER[signal]);
      const history = readFileSync(join(room.state, 'aisec', 'history'), 'utf8')
        .trim()
        .split('\n');
      expect(history).toEqual(HISTORY.slice(0, typed.endsWith('\r') ? 2 : 1));
      expect(room.errors()).toMatch(/cancelled by SIG\w+: Stopped[^\n]*\n$/);
      expect(process.listenerCount(signal)).toBe(before);
    },
  );
});
