import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { SUBCOMMANDS } from '../../bin/subcommands.ts';
import { registry } from '../../commands/index.ts';
import type { KnownValue } from '../../lib/client/completion/known-values.ts';
import { powerShellLine, typedLine } from '../../lib/hosts/terminal/line/shell-words.ts';
import { candidates } from '../../lib/hosts/terminal/room/completion/command-line-completion.ts';
import { completeInRoom } from '../../lib/hosts/terminal/room/completion/room-completion.ts';
import { SHELLS } from '../../lib/hosts/terminal/shell/completion/completion.ts';
import { SCRIPTS } from '../../lib/hosts/terminal/shell/completion/scripts.ts';
import { type CacheOptions, openValueCache } from '../../lib/hosts/terminal/shell/completion/value-cache.ts';
import { quoted } from '../../lib/hosts/terminal/ui/shell.ts';
import type { Catalogue } from '../../lib/manifest/catalogue.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import type { Lookup } from '../../lib/runtime/arguments/builders.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineClock } from '../support/machine.ts';
import { shareOf } from '../support/runs.ts';
import { run } from '../unit/report/support.ts';
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
    { line: 'gate model https', offered: ['https://models.example/a'] },
    { line: 'gate redteam 2c8f --baseline 94', offered: ['94e0b7d6-bbbb'] },
    { line: 'gate redteam --start sup', offered: ['support-chatbot'] },
    { line: 'report ', offered: ['2c8f5e1b-aaaa', '94e0b7d6-bbbb', 'ac61d8f3-cccc'] },
    { line: 'report run', offered: 'files' },
    { line: 'watch sup', offered: ['support-chatbot'] },
    { line: 'redteam-prompt-sets-upload file=', offered: 'files' },
    { line: 'runtime-scan profile_name=a prompt=@file:', offered: 'files' },
  ])('$line: $offered', ({ line, offered }) => {
    const words = line.split(' ');
    const offers = { catalogue, subcommands: SUBCOMMANDS, known };
    const { values, files } = candidates(words.slice(0, -1), words.at(-1) ?? '', offers);
    expect(files === true ? 'files' : values.map(({ value }) => value)).toEqual(offered);
  });

  test.each([
    { line: 'explain ', fits: ['last', '2c8f5e1b-aaaa', '94e0b7d6-bbbb'] },
    { line: 'explain 94', fits: ['94e0b7d6-bbbb'] },
    { line: 'explain last ', fits: [] },
  ])('is completed in the war room by its scans: $line', ({ line, fits }) => {
    const scans = ['2c8f5e1b-aaaa', '94e0b7d6-bbbb'];
    const [found] = completeInRoom(line, { catalogue, subcommands: SUBCOMMANDS, known, context: {}, scans });
    expect(found).toEqual(fits);
  });

  test('of a nested record is not completed, because its list needs more arguments', () => {
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

  test('is completed in the war room, except names that consist of several words', () => {
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
    { line: 'redteam-scans-list --sort status,as', fits: ['status,asr', 'status,asr:desc'] },
    { line: 'redteam scans ls --sort as', fits: ['asr', 'asr:desc'] },
    { line: 'redteam-scans-list --filter stat', fits: ['status='] },
    { line: 'redteam-scans-list --filter asr', fits: ['asr=', 'asr!=', 'asr<', 'asr<=', 'asr>', 'asr>='] },
    { line: 'redteam-scans-list --filter asr>20,nam', fits: ['asr>20,name='] },
    { line: 'redteam-scans-list --filter status=do', fits: ['status=done'] },
    { line: 'runtime-api-keys-list --filter revoked=', fits: ['revoked=true', 'revoked=false'] },
    { line: 'redteam-scans-list --fields status,target_n', fits: ['status,target_name'] },
    { line: 'gate --sort na', fits: [] },
  ];

  test.each(CASES)('"$line" offers $fits', ({ line, fits }) => {
    const words = line.split(' ');
    const { values } = candidates(words.slice(0, -1), words.at(-1) ?? '', offers());
    expect(values.map(({ value }) => value)).toEqual(fits);
  });

  test('are offered in the war room, too', () => {
    const line = 'redteam-scans-list --filter status=do';
    expect(completeInRoom(line, { ...offers(), context: {} })).toEqual([['status=done'], 'status=do']);
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
  ])('belong to one tenant; known for $options and $environment: $known', async ({ known, ...chosen }) => {
    const { home } = await homeWithValues();
    const cache = openValueCache({ ...OPTIONS, ...chosen.options }, { HOME: home, ...chosen.environment });
    expect(cache.read(LIST)).toEqual(known ? VALUES : []);
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

  test('are also found by the path of the settings file, until it changes', async () => {
    const { settings, home } = await homeWithValues();
    const known = () => openValueCache({ ...OPTIONS, profile: 'live', config: settings }, { HOME: home }).read(LIST);
    expect(known()).toEqual(VALUES);
    utimesSync(settings, 86_400, 86_400);
    expect(known()).toEqual([]);
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

describe('PowerShell', () => {
  const HOSTILE = [
    ...['$(calc)', '`calc`', '"; calc; "', "'; calc; '", '’; calc; ’', '“$(calc)”', 'a\ncalc', 'a b\\', '\\"', ''],
    ...['{"a": "b c"}', '%PATH%', '%%', '"%&calc', '!x!', '&calc', 'a,b', '@x', '#x', ';calc', '$x', '~'],
    ...['--%', '-a.b', '1kb', '2c8f5e1b'],
  ];

  describe('a line before the cursor', () => {
    test.each<{ line: string; words: string[]; current: string | undefined }>([
      { line: 'aisec compl', words: ['aisec'], current: 'compl' },
      { line: 'aisec compl ', words: ['aisec', 'compl'], current: '' },
      { line: "aisec 'a b' c", words: ['aisec', 'a b'], current: 'c' },
      { line: "aisec n='a b", words: ['aisec'], current: 'n=a b' },
      { line: "aisec 'a b ", words: ['aisec'], current: 'a b ' },
      { line: "aisec 'it''s'", words: ['aisec'], current: "it's" },
      { line: 'aisec ‘it’’s’ x', words: ['aisec', 'it’s'], current: 'x' },
      { line: 'aisec "a ""b"" `"c`"" x', words: ['aisec', 'a "b" "c"'], current: 'x' },
      { line: 'aisec a` b', words: ['aisec'], current: 'a b' },
      { line: "aisec 'a'b", words: ['aisec', 'a'], current: 'b' },
      { line: "aisec n='$x", words: ['aisec'], current: 'n=$x' },
      { line: "& 'C:\\my tools\\aisec.cmd' x", words: ['C:\\my tools\\aisec.cmd'], current: 'x' },
      { line: 'aisec n=$x', words: ['aisec'], current: undefined },
      { line: 'aisec "n=$(x', words: ['aisec'], current: undefined },
      { line: 'aisec n=a,b', words: ['aisec'], current: undefined },
      { line: 'aisec @fil', words: ['aisec'], current: undefined },
    ])('$line is split into its words', ({ line, ...words }) => {
      expect(powerShellLine(line)).toEqual(words);
    });
  });

  /** Parses one word of a command line as Windows programs do, by the rules of the C runtime. */
  function readByProgram(line: string): string[] {
    const words: string[] = [];
    let [word, isQuoted, isWord] = ['', false, false];
    for (let at = 0; at < line.length; at += 1) {
      const [, slashes = '', quote = ''] = /^(\\*)("?)/.exec(line.slice(at)) ?? [];
      if (slashes !== '' || quote !== '') {
        isWord = true;
        at += slashes.length + quote.length - 1;
        word += quote === '' ? slashes : '\\'.repeat(slashes.length / 2);
        if (quote === '') continue;
        if (slashes.length % 2 === 1) word += '"';
        else if (isQuoted && line[at + 1] === '"') {
          word += '"';
          at += 1;
        } else isQuoted = !isQuoted;
      } else if (!isQuoted && /[ \t]/.test(line[at] ?? '')) {
        if (isWord) words.push(word);
        [word, isWord] = ['', false];
      } else {
        word += line.charAt(at);
        isWord = true;
      }
    }
    return isWord ? [...words, word] : words;
  }

  /** Writes a word into a command line as Windows PowerShell does: it escapes nothing, and drops an empty word. */
  function passedByWindowsPowerShell(word: string): string {
    let [isQuoted, needsQuotes] = [false, false];
    for (const [part] of word.matchAll(/\\"|"|\s/g)) {
      if (part === '"') isQuoted = !isQuoted;
      else if (part !== '\\"' && !isQuoted) needsQuotes = true;
    }
    return needsQuotes ? `"${word}"` : word;
  }

  const word = fc.oneof(
    fc.string({ unit: fc.constantFrom(...Array.from('"\'\\ %$`ab&’“,@;#!()')) }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(...HOSTILE),
  );
  const law = (check: (text: string) => void) => fc.assert(fc.property(word, check), { numRuns: shareOf(2000) });

  describe('a quoted word reaches the program unchanged', () => {
    test('from PowerShell 7.3', () => {
      law((text) => expect(powerShellLine(`aisec ${quoted(text, 'powershell')}`).current).toBe(text));
    });

    test('from Windows PowerShell', () => {
      law((text) => {
        // White space other than a blank does not separate a program's words, and is kept.
        const { current = '' } = powerShellLine(`aisec ${quoted(text, 'powershell-5')}`);
        expect(readByProgram(passedByWindowsPowerShell(current))).toEqual([text]);
      });
    });
  });

  /** Requests candidates as the script does. @returns the lines that it reads */
  async function completed(line: string, shell = 'powershell', environment: Readonly<Record<string, string>> = {}) {
    const sent = Buffer.from(line).toString('base64');
    const { code, stdout } = await run(['__complete', shell, sent], { environment });
    expect(code).toBe(0);
    // ASCII survives every console encoding.
    expect(stdout).toMatch(/^[\w+/=]*\n$/);
    return Buffer.from(stdout, 'base64').toString().split('\n');
  }

  describe('completion in PowerShell', () => {
    test.each([
      { line: 'aisec completion pow', shows: 'powershell\tpowershell\tpowershell' },
      { line: 'aisec runtime-topics-l', shows: /^runtime-topics-list\truntime-topics-list\tList/m },
      { line: "aisec 'runtime-scan' profile_n", shows: /^:nospace\nprofile_name=\tprofile_name=\tName of/ },
      { line: "aisec '!runtime-topics-l", shows: /^'!runtime-topics-list'\t!runtime-topics-list\t/m },
      { line: "& 'C:\\a b\\aisec.cmd' --output ya", shows: 'yaml\tyaml\tyaml' },
      { line: "aisec runtime-scan 'prompt=@file:a b", shows: /^:files\nprompt=@file:\na b$/ },
      { line: 'aisec --config=', shows: /^:files\n--config=\n$/ },
      { line: 'aisec apply gu', shows: /^:files\n\ngu$/ },
      { line: 'aisec runtime-scan profile_name=$name', shows: /^:$/ },
    ])('of $line', async ({ line, shows }) => {
      expect((await completed(line)).join('\n')).toMatch(shows);
    });

    test.each(['powershell', 'powershell-5'] as const)('quotes names of the tenant for %s', async (shell) => {
      const names = HOSTILE.filter((name) => name !== '' && !/[\n]|\$\{/.test(name));
      const environment = { XDG_CACHE_HOME: temporaryFolder('powershell') };
      const rename = (_: string, response: { body: string; status: number; headers: Record<string, string> }) => {
        const body = JSON.parse(response.body) as Record<string, object[]>;
        const [first = {}] = body['ai_profiles'] ?? [];
        const profiles = names.map((profile_name, at) => ({ ...first, profile_id: String(at), profile_name }));
        return body['ai_profiles'] === undefined
          ? response
          : { ...response, body: JSON.stringify({ ...body, ai_profiles: profiles }) };
      };
      await run(['__refresh', 'aisec-runtime-profiles-list'], { environment, alter: rename });
      const [, ...lines] = await completed('aisec --simulate runtime-scan profile_name=', shell, environment);
      const words = lines.map((line) => line.split('\t')[0]);
      expect(words.sort()).toEqual(names.map((name) => quoted(`profile_name=${name}`, shell)).sort());
    });
  });

  const require = createRequire(import.meta.url);

  /** Reads scripts from standard input, separated by NUL, and prints for each whether it has a syntax error. */
  const GRAMMAR = `
  const [, parsers] = process.argv;
  const { Parser, Language } = require(parsers);
  const path = require('path').join(parsers, '..', 'tree-sitter-powershell.wasm');
  (async () => {
    await Parser.init();
    const parser = new Parser();
    parser.setLanguage(await Language.load(require('fs').readFileSync(path)));
    const scripts = require('fs').readFileSync(0, 'utf8').split('\\0');
    console.log(JSON.stringify(scripts.map((script) => parser.parse(script).rootNode.hasError)));
  })();`;

  test('the script is valid PowerShell, in ASCII', () => {
    const input = [SCRIPTS.powershell, `${SCRIPTS.powershell}\nif (`].join('\0');
    // Without the flag, V8 spends half a minute optimizing the grammar after the answer.
    const words = ['--liftoff-only', '-e', GRAMMAR, require.resolve('@vscode/tree-sitter-wasm')];
    const printed = execFileSync(process.execPath, words, { input, encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual([false, true]);
    expect(SCRIPTS.powershell).toMatch(/^[\n -~]*$/);
  });
});
