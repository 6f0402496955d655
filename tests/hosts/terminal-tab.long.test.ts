/** Presses Tab in real shells. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHELLS } from '../../lib/cli/completion/completion.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ended, onPath, program, start } from '../support/program.ts';
import { hasTerminal, openTerminal, type Terminal } from '../support/tmux.ts';

/** PowerShell is not installed where the tests run: tests/hosts/terminal-powershell.test.ts checks what it would read. */
const INSTALLED = SHELLS.filter((shell) => shell !== 'powershell');

/** How each shell is started without a user's own settings, and how it reads the script. */
const STARTS: Readonly<
  Record<(typeof INSTALLED)[number], { readonly command: readonly string[]; readonly source: string }>
> = {
  bash: { command: ['bash', '--norc', '--noprofile'], source: 'source <(aisec completion bash)' },
  zsh: { command: ['zsh', '-f'], source: 'source <(aisec completion zsh)' },
  // A suggestion looks like a completion on the screen.
  fish: {
    command: ['fish', '--no-config'],
    source: 'set -g fish_autosuggestion_enabled 0; aisec completion fish | source',
  },
};

const CASES = [
  { what: 'a subcommand', typed: 'aisec compl', line: 'aisec completion' },
  { what: 'a command', typed: 'aisec runtime-topics-l', line: 'aisec runtime-topics-list' },
  {
    what: 'a command by its full name',
    typed: 'aisec aisec-runtime-topics-l',
    line: 'aisec aisec-runtime-topics-list',
  },
  { what: 'a quoted command', typed: "aisec '!runtime-topics-l", line: "aisec '!runtime-topics-list'" },
  { what: 'an argument', typed: 'aisec runtime-scan profile_n', line: 'aisec runtime-scan profile_name=' },
  { what: 'a closed value', typed: 'aisec runtime-bulk-scan resume=t', line: 'aisec runtime-bulk-scan resume=true' },
  { what: 'an option', typed: 'aisec runtime-topics-list --wi', line: 'aisec runtime-topics-list --wide' },
  {
    what: 'a field to filter by',
    typed: 'aisec redteam-scans-list --filter stat',
    line: 'aisec redteam-scans-list --filter status=',
  },
  {
    what: 'the value of a field',
    typed: 'aisec redteam-scans-list --filter status=do',
    line: 'aisec redteam-scans-list --filter status=done',
  },
  {
    what: 'the direction of a field to sort by',
    typed: 'aisec redteam-scans-list --sort asr:d',
    line: 'aisec redteam-scans-list --sort asr:desc',
  },
  {
    what: 'a further field to print',
    typed: 'aisec redteam-scans-list --fields status,target_n',
    line: 'aisec redteam-scans-list --fields status,target_name',
  },
  { what: 'the value of an option', typed: 'aisec --output ya', line: 'aisec --output yaml' },
  {
    what: 'a file',
    typed: 'aisec runtime-bulk-scan entry_id=two',
    line: 'aisec runtime-bulk-scan entry_id=two-prompts.csv',
  },
  {
    what: 'a file with the text of an argument',
    typed: 'aisec runtime-bulk-scan prompts_csv=@file:two',
    line: 'aisec runtime-bulk-scan prompts_csv=@file:two-prompts.csv',
  },
  {
    what: 'a name of the tenant',
    typed: 'aisec --simulate runtime-scan profile_name=pr',
    line: 'aisec --simulate runtime-scan profile_name=prod',
  },
];

const path = hasTerminal ? program({ withCatalogue: true }) : '';
if (!hasTerminal) process.stdout.write('skipped: tmux, in which shells are run, is not installed\n');

describe.each(INSTALLED)('Tab in %s', (shell) => {
  const isThere = hasTerminal && spawnSync(shell, ['-c', 'true']).status === 0;
  if (hasTerminal && !isThere) process.stdout.write(`skipped: ${shell} is not installed\n`);
  let terminal: Terminal;

  beforeAll(async () => {
    if (!isThere) return;
    const folder = temporaryFolder('tab');
    writeFileSync(join(folder, 'two-prompts.csv'), 'prompt\na\nb\n');
    const profiles = ['__refresh', '--simulate', 'aisec-runtime-profiles-list'];
    expect(await ended(start(path, profiles, { folder, environment: {} }))).toMatchObject({ code: 0 });
    const { command, source } = STARTS[shell];
    const environment = { PATH: `${onPath(path)}:${process.env['PATH']}`, XDG_STATE_HOME: '', XDG_CACHE_HOME: '' };
    terminal = openTerminal(command, { folder, environment });
    terminal.type(`${source}; echo read-${shell.length}`);
    await terminal.see(/-\d/);
    terminal.press('Enter');
    await terminal.see(new RegExp(`^read-${shell.length}$`, 'm'));
  });

  (isThere ? test : test.skip).each(CASES)('completes $what', async ({ typed, line }) => {
    terminal.press('C-u', 'C-l');
    terminal.type(typed);
    await terminal.see(new RegExp(`${pattern(typed)}$`, 'm'));
    terminal.press('Tab');
    await terminal.see(new RegExp(`${pattern(line)}$`, 'm'));
  });

  (isThere ? test : test.skip)('lists what there is to choose from', async () => {
    terminal.press('C-u', 'C-l');
    terminal.type('aisec runtime-scan pro');
    await terminal.see(/ pro$/m);
    // At the first one bash rings the bell.
    terminal.press('Tab', 'Tab');
    await terminal.see(/profile_name=[\s\S]*prompt=|prompt=[\s\S]*profile_name=/);
  });
});

function pattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
