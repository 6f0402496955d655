/** PowerShell, as far as they can be checked without one: grammar, words, quotes and the protocol of completion. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { SCRIPTS } from '../../lib/cli/completion/scripts.ts';
import { type Dialect, quoted } from '../../lib/hosts/terminal/options/shell.ts';
import { powerShellLine } from '../../lib/hosts/terminal/options/shell-words.ts';
import { temporaryFolder } from '../support/folder.ts';
import { shareOf } from '../support/runs.ts';
import { run } from '../unit/report/support.ts';

const HOSTILE = [
  ...[
    '$(calc)',
    '`calc`',
    '"; calc; "',
    "'; calc; '",
    '’; calc; ’',
    '“$(calc)”',
    'a\ncalc',
    'a b\\',
    '\\"',
    '{"a": "b c"}',
  ],
  ...[
    '%PATH%',
    '%%',
    '"%&calc',
    '!x!',
    '&calc',
    'a,b',
    '@x',
    '#x',
    ';calc',
    '$x',
    '~',
    '--%',
    '-a.b',
    '1kb',
    '2c8f5e1b',
    '',
  ],
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
  ])('$line has its words', ({ line, ...words }) => {
    expect(powerShellLine(line)).toEqual(words);
  });
});

/** Reads one word of a command line as programs of Windows do, by the rules of the C runtime. */
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
      // Other white space than a blank separates no words of a program, and stays as it is.
      const { current = '' } = powerShellLine(`aisec ${quoted(text, 'powershell-5')}`);
      expect(readByProgram(passedByWindowsPowerShell(current))).toEqual([text]);
    });
  });

  test.each<[Dialect, string, string]>([
    ['powershell', 'n={"a":1}', `'n={"a":1}'`],
    ['powershell-5', 'n={"a":1}', `'n={\\"a\\":1}'`],
    ['powershell-5', 'dir=C:\\my dir\\', "'dir=C:\\my dir\\\\'"],
    ['powershell-5', '', `'""'`],
    ['powershell', '@file:a', "'@file:a'"],
    ['powershell', 'fields=a,b', "'fields=a,b'"],
    ['powershell', '--config=./a.yml', "'--config=./a.yml'"],
    ['powershell', '--profile=live', '--profile=live'],
    ['powershell', '12345e12', "'12345e12'"],
    ['powershell', '2c8f5e1b-0000', '2c8f5e1b-0000'],
    ['powershell', '#x', "'#x'"],
    ['powershell', ';x', "';x'"],
  ])('in %s, %j reads %j', (dialect, text, written) => {
    expect(quoted(text, dialect)).toBe(written);
  });
});

/** Asks for candidates as the script does. @returns the lines that it reads */
async function completed(line: string, shell = 'powershell', environment: Readonly<Record<string, string>> = {}) {
  const sent = Buffer.from(line).toString('base64');
  const { code, stdout } = await run(['__complete', shell, sent], { environment });
  expect(code).toBe(0);
  // ASCII passes every encoding of a console.
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

/** Reads scripts from standard input, separated by NUL, and prints for each whether it has an error of syntax. */
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

test('the script is PowerShell without an error of syntax, in ASCII', () => {
  const input = [SCRIPTS.powershell, `${SCRIPTS.powershell}\nif (`].join('\0');
  // Without the flag, V8 spends half a minute on optimizing the grammar, after the answer.
  const words = ['--liftoff-only', '-e', GRAMMAR, require.resolve('@vscode/tree-sitter-wasm')];
  const printed = execFileSync(process.execPath, words, { input, encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual([false, true]);
  expect(SCRIPTS.powershell).toMatch(/^[\n -~]*$/);
});
