import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { registry } from '../../commands/index.ts';
import type { Lookup } from '../../lib/arguments/builders.ts';
import { SHELLS } from '../../lib/cli/completion/completion.ts';
import { SCRIPTS } from '../../lib/cli/completion/scripts.ts';
import { type CacheOptions, openValueCache } from '../../lib/cli/completion/value-cache.ts';
import { SUBCOMMANDS } from '../../lib/cli/subcommands.ts';
import { candidates } from '../../lib/hosts/terminal/complete/command-line-completion.ts';
import type { KnownValue } from '../../lib/hosts/terminal/complete/known-values.ts';
import { completeInRoom } from '../../lib/hosts/terminal/complete/room-completion.ts';
import { typedLine } from '../../lib/hosts/terminal/options/shell-words.ts';
import type { Catalogue } from '../../lib/manifest/catalogue.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineClock } from '../support/machine.ts';
import { start } from './terminal-support.ts';

const BREAKS = ' \t\n"\'><=;|&(:';
const HOSTILE = ['$(touch x)', '`touch x`', 'a b', "it's", 'a:b', '"quoted"', 'back\\slash', 'a;touch x', '*', '!!'];

describe('a candidate, as bash inserts it', () => {
  test.each(HOSTILE)('%s is read back unchanged, and runs nothing', (name) => {
    const folder = temporaryFolder('completion');
    const line = 'aisec get target=';
    const written = typedLine(line, BREAKS).written(`target=${name}`);
    const shown = execFileSync('bash', ['-c', `printf %s target=${written}`], { cwd: folder, encoding: 'utf8' });
    expect(shown).toBe(`target=${name}`);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test.each([
    { line: "aisec 'get target=su", candidate: 'get target=support chat', written: 'get target=support chat' },
    { line: 'aisec target="su', candidate: 'target=su$x', written: 'su\\$x' },
    { line: 'aisec target="su', candidate: 'target=su!x', written: undefined },
    { line: 'aisec target=a:', candidate: 'target=a:b c', written: 'b\\ c' },
  ])('completes $line to $written', ({ line, candidate, written }) => {
    expect(typedLine(line, BREAKS).written(candidate)).toBe(written);
  });
});

describe('aisec __complete', () => {
  test.each([
    { words: ['zsh', 'comp'], shows: 'completion' },
    { words: ['zsh', '--output', 'js'], shows: 'jsonl' },
    { words: ['zsh', 'aisec-widget-make', 'col'], shows: 'colour=' },
    { words: ['fish', 'aisec-widget-make', 'colour=gre'], shows: 'colour=grey' },
    { words: ['bash', BREAKS, "aisec '!aisec-widget-g"], shows: '!aisec-widget-get' },
    { words: ['zsh', '--config', ''], shows: ':files' },
    { words: ['zsh', '--client-secret=x', '!aisec-widget-make', 'col'], shows: 'colour=' },
  ])('$words offers $shows without a request', async ({ words, shows }) => {
    const running = start(['__complete', '--', ...words]);
    expect(await running.code).toBe(0);
    expect(running.output()).toContain(shows);
    expect(running.requests).toHaveLength(0);
  });
});

describe('a word of a subcommand', () => {
  const SCANS: Readonly<Record<string, readonly KnownValue[]>> = {
    'aisec-redteam-scans-list': [
      { id: '2c8f5e1b-aaaa', name: 'nightly' },
      { id: '94e0b7d6-bbbb', name: 'before the update' },
    ],
    'aisec-model-security-scans-list': [{ id: 'ac61d8f3-cccc', name: 'https://models.example/a' }],
    'aisec-redteam-targets-list': [{ id: 'b4e2a1d7-dddd', name: 'support-chatbot' }],
  };
  const known = ({ command }: Lookup) => SCANS[command] ?? [];
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await catalogueOf(registry);
  });

  test.each([
    { line: 'gate redteam ', offered: ['2c8f5e1b-aaaa', '94e0b7d6-bbbb'] },
    { line: 'gate redteam ni', offered: ['nightly'] },
    { line: 'gate redteam be', offered: ['before the update'] },
    { line: 'gate model https', offered: ['https://models.example/a'] },
    { line: 'gate redteam 2c8f --baseline 94', offered: ['94e0b7d6-bbbb'] },
    { line: 'gate redteam --start sup', offered: ['support-chatbot'] },
    { line: 'report ', offered: ['2c8f5e1b-aaaa', '94e0b7d6-bbbb', 'ac61d8f3-cccc'] },
    { line: 'report ac', offered: ['ac61d8f3-cccc'] },
    { line: 'report run', offered: 'files' },
    { line: 'compare sup', offered: ['support-chatbot'] },
    { line: 'watch sup', offered: ['support-chatbot'] },
    { line: 'watch 2c', offered: ['2c8f5e1b-aaaa'] },
    { line: 'explain 2c', offered: [] },
    { line: 'export gu', offered: 'files' },
    { line: 'redteam-prompt-sets-upload file=', offered: 'files' },
    { line: 'runtime-bulk-scan profile_name=a entry_id=pr', offered: 'files' },
    { line: 'runtime-scan profile_name=a prompt=@file:', offered: 'files' },
  ])('$line: $offered', ({ line, offered }) => {
    const words = line.split(' ');
    const offers = { catalogue, subcommands: SUBCOMMANDS, known };
    const { values, files } = candidates(words.slice(0, -1), words.at(-1) ?? '', offers);
    expect(files === true ? 'files' : values.map(({ value }) => value)).toEqual(offered);
  });

  test.each([
    { line: 'explain ', fits: ['last', '2c8f5e1b-aaaa', '94e0b7d6-bbbb'] },
    { line: 'explain la', fits: ['last'] },
    { line: 'explain 94', fits: ['94e0b7d6-bbbb'] },
    { line: 'explain last ', fits: [] },
  ])('is completed in the war room by its scans: $line', ({ line, fits }) => {
    const scans = ['2c8f5e1b-aaaa', '94e0b7d6-bbbb'];
    const [found] = completeInRoom(line, { catalogue, subcommands: SUBCOMMANDS, known, context: {}, scans });
    expect(found).toEqual(fits);
  });

  test('of a record inside another one is not completed: its list needs more arguments', () => {
    const offers = { catalogue, subcommands: SUBCOMMANDS, known: () => [{ id: 'a', name: 'found' }], context: {} };
    const lines = catalogue.flatMap(({ name: line, arguments: all }) =>
      all.filter(({ lookup }) => lookup?.within !== undefined).map(({ name }) => `!${line} ${name}=`),
    );
    expect(lines.length).toBeGreaterThan(0);
    expectNone(
      lines.filter((line) => completeInRoom(line, offers)[0].some((text) => text.includes('found'))),
      'completed lines',
    );
  });

  test('is completed in the war room without a name that would be several words', () => {
    const offers = { catalogue, subcommands: SUBCOMMANDS, known, context: {} };
    expect(completeInRoom('gate redteam ni', offers)).toEqual([['nightly'], 'ni']);
    expect(completeInRoom('gate redteam be', offers)).toEqual([[], 'be']);
  });
});

describe('fields after an option', () => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await catalogueOf(registry);
  });
  const offers = () => ({ catalogue, subcommands: SUBCOMMANDS, known: () => [] });

  const CASES = [
    { line: 'redteam-scans-list --sort as', fits: ['asr', 'asr:desc'] },
    { line: 'redteam-scans-list --sort asr:', fits: ['asr:asc', 'asr:desc'] },
    { line: 'redteam-scans-list --sort status,as', fits: ['status,asr', 'status,asr:desc'] },
    { line: 'redteam-scans-list --sort ag', fits: ['age', 'age:desc'] },
    { line: 'redteam scans ls --sort as', fits: ['asr', 'asr:desc'] },
    { line: 'redteam-scans-list --filter stat', fits: ['status='] },
    { line: 'redteam-scans-list --filter asr', fits: ['asr=', 'asr!=', 'asr<', 'asr<=', 'asr>', 'asr>='] },
    { line: 'redteam-scans-list --filter asr>20,nam', fits: ['asr>20,name='] },
    { line: 'redteam-scans-list --filter status=do', fits: ['status=done'] },
    { line: 'redteam-scans-list --filter status!=fa', fits: ['status!=failed'] },
    { line: 'runtime-api-keys-list --filter revoked=', fits: ['revoked=true', 'revoked=false'] },
    { line: 'redteam-scans-list --filter name=', fits: [] },
    { line: 'redteam-scans-list --fields target_n', fits: ['target_name'] },
    { line: 'redteam-scans-list --fields status,target_n', fits: ['status,target_name'] },
    { line: 'redteam-targets-get --sort na', fits: [] },
    { line: '--sort na', fits: [] },
    { line: 'gate --sort na', fits: [] },
  ];

  test.each(CASES)('"$line" offers $fits', ({ line, fits }) => {
    const words = line.split(' ');
    const { values } = candidates(words.slice(0, -1), words.at(-1) ?? '', offers());
    expect(values.map(({ value }) => value)).toEqual(fits);
  });

  test.each(CASES.filter(({ line }) => !line.startsWith('-')))(
    '"$line" offers $fits in the war room',
    ({ line, fits }) => {
      const [found, replaced] = completeInRoom(line, { ...offers(), context: {} });
      expect(found).toEqual(fits);
      expect(line.endsWith(replaced)).toBe(true);
    },
  );

  test('are completed after an equals sign and inside of a quote', () => {
    const { values } = candidates(['redteam-scans-list'], '--filter=status=do', offers());
    expect(values.map(({ value }) => value)).toEqual(['--filter=status=done']);
    const room = (line: string) => completeInRoom(line, { ...offers(), context: {} });
    expect(room("redteam-scans-list --filter 'status=do")).toEqual([['status=done'], 'status=do']);
    expect(room('redteam-scans-list --sort=as')).toEqual([['asr', 'asr:desc'], 'as']);
  });

  test('that another one may follow are inserted without a space', async () => {
    const running = start(['__complete', '--', 'zsh', 'widget-list', '--filter', 'nam']);
    await running.code;
    expect(running.output()).toMatch(/^:nospace\nname=/);
  });
});

describe('the values that completion knows', () => {
  const LIST = 'aisec-widget-list';
  const VALUES = [{ id: '1', name: 'cog' }];
  const OPTIONS: CacheOptions = { config: undefined, profile: undefined, simulate: false, settings: {} };

  /** A home in which the values of the section `live` are known. */
  async function homeWithValues() {
    const home = temporaryFolder('values');
    const settings = join(home, '.config', 'aisec', 'settings.yml');
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, 'profiles: {live: {tsg_id: "1"}, test: {tsg_id: "2"}}');
    await openValueCache({ ...OPTIONS, profile: 'live' }, { HOME: home }).write(LIST, VALUES);
    return { home, settings, folder: join(home, '.cache', 'aisec') };
  }

  test.each<{ options: Partial<CacheOptions>; environment: Record<string, string>; known: boolean }>([
    { options: { profile: 'live' }, environment: {}, known: true },
    { options: {}, environment: { AISEC_PROFILE: 'live' }, known: true },
    { options: { profile: 'live' }, environment: { AISEC_PROFILE: 'test' }, known: true },
    { options: {}, environment: { AISEC_PROFILE: 'test' }, known: false },
    { options: { profile: 'test' }, environment: { AISEC_PROFILE: 'live' }, known: false },
    { options: {}, environment: {}, known: false },
    { options: { profile: 'live' }, environment: { AISEC_TSG_ID: '3' }, known: false },
    { options: { profile: 'live', settings: { tsg_id: '3' } }, environment: {}, known: false },
    { options: { profile: 'live', simulate: true }, environment: {}, known: false },
  ])('belong to one tenant: $options and $environment find them: $known', async ({ known, ...chosen }) => {
    const { home } = await homeWithValues();
    const cache = openValueCache({ ...OPTIONS, ...chosen.options }, { HOME: home, ...chosen.environment });
    expect(cache.read(LIST)).toEqual(known ? VALUES : []);
  });

  test('are found by the path of the settings file too, until it changes', async () => {
    const { settings, home } = await homeWithValues();
    const known = () => openValueCache({ ...OPTIONS, profile: 'live', config: settings }, { HOME: home }).read(LIST);
    expect(known()).toEqual(VALUES);
    utimesSync(settings, 86_400, 86_400);
    expect(known()).toEqual([]);
  });

  test('are readable only by their owner', async () => {
    const { folder } = await homeWithValues();
    const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
    expect([statSync(folder).mode & 0o777, ...modes]).toEqual([0o700, 0o600]);
  });

  test('are removed if they were not refreshed for two weeks, and nothing else is removed', async () => {
    const { home, folder } = await homeWithValues();
    const own = readdirSync(folder);
    const day = machineClock.now() / 1000 - 20 * 86_400;
    const place = (name: string, at: number) => {
      writeFileSync(join(folder, name), '[]');
      utimesSync(join(folder, name), at, at);
    };
    place(`values-0123456789abcdef-${LIST}.json`, day);
    place(`values-0123456789abcdef-${LIST}.json.refresh`, day);
    place(`values-123456789abcdef0-${LIST}.json`, day + 10 * 86_400);
    place('0.1.0-0123456789abcdef.code', day);
    await openValueCache({ ...OPTIONS, profile: 'live' }, { HOME: home }).write(LIST, VALUES);
    const left = ['0.1.0-0123456789abcdef.code', `values-123456789abcdef0-${LIST}.json`, ...own];
    expect(readdirSync(folder).sort()).toEqual(left.sort());
  });
});

describe.each(SHELLS.filter((shell) => shell !== 'powershell'))('the script for %s', (shell) => {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!isThere) console.warn(`skipped: ${shell} is not installed`);

  (isThere ? test : test.skip)('is read by that shell without an error', () => {
    const file = join(temporaryFolder('script'), 'script');
    writeFileSync(file, SCRIPTS[shell]);
    const { stderr, status } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });
});

test('bash treats candidates as data: no name of the tenant is executed', () => {
  const folder = temporaryFolder('bash');
  const program = join(folder, 'aisec');
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' : '$(touch x)' '\`touch x\`' 'two words'\n`);
  chmodSync(program, 0o755);
  const script = `${SCRIPTS.bash}\nCOMP_LINE='aisec '; COMP_POINT=6; _aisec_complete 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const environment = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const shown = execFileSync('bash', ['-c', script], { cwd: folder, env: environment, encoding: 'utf8' });
  expect(shown.trim().split('\n')).toEqual(['$(touch x)', '`touch x`', 'two words']);
  expect(existsSync(join(folder, 'x'))).toBe(false);
});
