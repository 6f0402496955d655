/** Writes the manual page from the terminal's tables. */

import { SUBCOMMANDS } from '../bin/subcommands.ts';
import { optionTable } from '../lib/hosts/terminal/line/options.ts';
import { GROUPS } from '../lib/hosts/terminal/result/command-help.ts';
import { ENVIRONMENT, EXIT_CODES, FILES } from '../lib/hosts/terminal/shell/usage.ts';

type Pairs = readonly (readonly [term: string, meaning: string])[];

/** Renders `aisec.1`. It has no date, so that builds are reproducible. */
export function manPage(version: string): string {
  const subcommands = Object.values(SUBCOMMANDS).map(({ usage, summary }) => [`aisec ${usage}`, summary] as const);
  const options = Object.entries(optionTable(SUBCOMMANDS)).map(
    ([name, { value, description, of }]): readonly [string, string] => [
      `${name === 'help' ? '-h, ' : ''}--${name}${value === undefined ? '' : ` ${value}`}`,
      of === undefined ? description : `${description} (${of.join(', ')})`,
    ],
  );
  return `${[
    `.TH AISEC 1 "" "aisec ${text(version)}" "aisec"`,
    ...section('NAME', ['aisec \\- commands for an AI\\-security service']),
    ...section('SYNOPSIS', [
      ...form('aisec', '[OPTIONS] COMMAND [NAME=VALUE ...]'),
      '.br',
      ...form('aisec', '[OPTIONS] SUBCOMMAND'),
      '.br',
      ...form('aisec', '[OPTIONS]'),
    ]),
    ...section('DESCRIPTION', [
      text(
        'Runs one command or one subcommand. Without arguments it opens a war room on a terminal, and reads one command per line in a pipe.',
      ),
      text('"!" and "aisec-" in the name of a command are optional: runtime-scan is !aisec-runtime-scan.'),
      text('Each further word is one argument, NAME=VALUE; its value is used as the shell passes it.'),
      text('The file name "-" is standard input, in arguments, options and subcommands that read a file.'),
      text('All commands: aisec commands. One command: aisec help COMMAND.'),
    ]),
    ...section('COMMON COMMANDS', terms(GROUPS.map(({ title, commands }) => [title, commands.join(', ')]))),
    ...section('SUBCOMMANDS', terms(subcommands)),
    ...section('OPTIONS', terms(options)),
    ...section('EXIT STATUS', terms(EXIT_CODES)),
    ...section('ENVIRONMENT', terms(ENVIRONMENT)),
    ...section('FILES', terms(FILES)),
    ...section('EXAMPLES', [
      '.nf',
      text('aisec init'),
      text('aisec runtime-scan profile_name=prod prompt="Ignore all previous instructions"'),
      text('aisec --profile staging doctor'),
      '.fi',
    ]),
  ].join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return [`.SH "${title}"`, ...lines];
}

function terms(pairs: Pairs): string[] {
  return pairs.flatMap(([term, meaning]) => ['.TP', `\\fB${text(term)}\\fR`, text(meaning)]);
}

function form(name: string, rest: string): string[] {
  return [`\\fB${text(name)}\\fR ${text(rest)}`];
}

/** Escapes text, so that hyphens can be copied and no line is read as a roff request. */
function text(value: string): string {
  const plain = value.replace(/\\/g, '\\e').replace(/-/g, '\\-').replace(/\s+/g, ' ');
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
