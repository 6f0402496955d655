/** The candidates for a shell's completion script. */

import { isPrintable } from '../../../../client/completion/known-values.ts';
import type { Lookup } from '../../../../runtime/arguments/builders.ts';
import { type Options, readOptions, tenantOptions } from '../../line/cli-options.ts';
import { optionTable } from '../../line/options.ts';
import { powerShellLine, typedLine } from '../../line/shell-words.ts';
import type { SubcommandContext } from '../../line/subcommand.ts';
import { candidates } from '../../room/completion/command-line-completion.ts';
import { quoted } from '../../ui/shell.ts';
import { openValueCache } from './value-cache.ts';

type Context = Pick<SubcommandContext, 'host' | 'subcommands'>;

/** Returns a directive, then one candidate per line. @param words as the shell's script passes them */
export function candidateLines(shell: string, words: readonly string[], cli: Context): Promise<string[]> {
  if (shell === 'bash') return forBash(words, cli);
  return isPowerShell(shell) ? forPowerShell(shell, words, cli) : forWords(shell, words, cli);
}

async function forBash([breaks = '', line = '']: readonly string[], cli: Context): Promise<string[]> {
  const { words, current, written } = typedLine(line, breaks);
  const { values, files } = await offered(words.slice(1), current, cli);
  const texts = values.flatMap(({ value }) => written(value) ?? []);
  return [directiveOf(texts, files), ...texts];
}

/**
 * Line and answer are base64 of UTF-8. Windows PowerShell drops empty words and double quotes on the way to a program,
 * and the console encoding would change other characters. With `:files`, the lines are the text before the path, and
 * the path; otherwise a quoted word, its value and its description.
 */
async function forPowerShell(shell: 'powershell' | 'powershell-5', [line = '']: readonly string[], cli: Context) {
  const { words, current } = powerShellLine(fromBase64(line));
  // PowerShell computes the value of such a word only when it runs the line.
  if (current === undefined) return [inBase64([':'])];
  const { values, files } = await offered(words.slice(1), current, cli);
  const [before = ''] = /^(?:[\w-]+=)?(?:@file:)?/.exec(current) ?? [];
  const lines = values.map(({ value, description = '' }) => {
    const shown = plain(value).trim();
    return [quoted(value, shell), shown, plain(description).trim() || shown].join('\t');
  });
  const paths = files === true ? [before, current.slice(before.length)] : [];
  const texts = values.map(({ value }) => value);
  return [inBase64([directiveOf(texts, files), ...paths, ...lines])];
}

const fromBase64 = (text: string) => Buffer.from(text, 'base64').toString();
const inBase64 = (lines: readonly string[]) => Buffer.from(lines.join('\n')).toString('base64');
const isPowerShell = (shell: string) => shell === 'powershell' || shell === 'powershell-5';

async function forWords(shell: string, typed: readonly string[], cli: Context): Promise<string[]> {
  const raw = typed.at(-1) ?? '';
  // fish passes the word at the cursor with its quotes.
  const current = shell === 'fish' ? typedLine(raw, '').current : raw;
  const { values, files } = await offered(typed.slice(0, -1), current, cli);
  const lines = values.map(({ value, description = '' }) => `${value}\t${plain(description)}`);
  return [
    directiveOf(
      values.map(({ value }) => value),
      files,
    ),
    ...lines,
  ];
}

async function offered(words: readonly string[], current: string, cli: Context) {
  const { host, subcommands } = cli;
  const options = optionsIn(words, cli);
  const cache = options === undefined ? undefined : openValueCache(options, host.environment);
  const known = ({ command }: Lookup) => {
    const values = cache?.read(command) ?? [];
    if (options !== undefined && cache?.claim(command) === true) {
      host.startDetached?.(['__refresh', ...tenantOptions(options), '--', command]);
    }
    return values;
  };
  const { values, files } = candidates(words, current, { catalogue: await host.catalogue(), subcommands, known });
  return { values: values.filter(({ value }) => isPrintable(value.trim())), files };
}

/** Reads the options that choose the tenant. @returns undefined for an invalid line */
function optionsIn(words: readonly string[], { subcommands }: Context): Options | undefined {
  const table = optionTable(subcommands);
  // The last word may be an option whose value is being typed.
  for (const typed of [words, words.slice(0, -1)]) {
    try {
      return readOptions(typed, table).options;
    } catch {
      // The shorter line may be valid.
    }
  }
  return undefined;
}

function plain(text: string): string {
  return text.replace(/\p{C}/gu, ' ');
}

function directiveOf(values: readonly string[], files = false): string {
  if (files) return ':files';
  return values.length > 0 && values.every((value) => /[=~<>]$/.test(value)) ? ':nospace' : ':';
}
