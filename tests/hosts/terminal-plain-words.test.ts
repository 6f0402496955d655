import { PassThrough } from 'node:stream';
import { simulated } from '../../bin/simulated.ts';
import { registry } from '../../commands/index.ts';
import { main } from '../../lib/cli/main.ts';
import { plainMeasure } from '../../lib/hosts/terminal/render/measure.ts';
import { commandHelp } from '../../lib/hosts/terminal/views/command-help.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LINE_ROWS } from '../support/lines.ts';

/** Words of platforms and of the wire. */
const WORDS =
  /entry[_ ]?id|file entry|can be any word|may (?:then )?be any word|(?:^|\s)(?:pi|tc|tr id|url cats)(?=$|[\s:,.])/gim;

const page = {
  width: 200,
  measure: plainMeasure,
  style: { bold: (text: string) => text },
  shell: { dialect: 'posix' },
} as never;
const found = (where: string, text: string) => [...text.matchAll(WORDS)].map(([word]) => `${where}: ${word.trim()}`);

/** Runs the program in a pipe. */
async function output(argv: readonly string[], input: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let text = '';
  for (const stream of [stdout, stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  stdin.end(input);
  await main({
    ...{ argv, stdin, stdout, stderr, registry, simulated },
    environment: { XDG_STATE_HOME: temporaryFolder('words'), COLUMNS: '200' },
    catalogue: () => catalogueOf(registry),
    playbooks: async () => [],
    openApi: async () => '',
    version: '1.2.3',
  });
  return text;
}

test('help of every command has no word of platforms or of the wire', async () => {
  const catalogue = await catalogueOf(registry);
  expect(catalogue.length).toBeGreaterThan(150);
  // The path of a context is the interface's.
  const help = (text: string) => text.replace(/^ +EntryID /gm, '');
  expectNone(
    catalogue.flatMap((command) => found(command.name, help(commandHelp(command, page)))),
    'words of platforms',
  );
});

test.each([[[]], [['--wide']]])('tables and messages of every command with %j have none', async (options) => {
  const lines = LINE_ROWS.filter(({ name }) => !/download|wait=true/.test(name)).map(({ line }) => line);
  const argv = ['--simulate', '--output', 'table', '--keep-going', '--files-dir', temporaryFolder('files'), ...options];
  const text = await output(argv, lines.join('\n'));
  expect(text.length).toBeGreaterThan(10_000);
  expectNone(found('output', text), 'words of platforms');
});

test.each([
  { line: 'runtime-dlp-dictionaries-create name=x category=Academic', says: 'The required argument file is missing.' },
  { line: 'runtime-bulk-scan profile_name=prod', says: 'Neither prompts_csv nor file is given.' },
  { line: 'runtime-bulk-scan profile_name=prod prompts_csv=prompts.csv', says: 'file=prompts.csv' },
])('$line says "$says"', async ({ line, says }) => {
  const text = await output(['--simulate', '--output', 'table'], line);
  expect(text).toContain(says);
  expectNone(found(line, text), 'words of platforms');
});

test('JSON keeps the names of the interface', async () => {
  const text = await output(['--simulate', '--output', 'json'], 'runtime-dlp-dictionaries-create name=x');
  expect(text).toContain('entry_id');
});
