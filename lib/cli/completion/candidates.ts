/** The candidates for a shell's completion script. */
import type { Lookup } from '../../arguments/builders.ts';
import { candidates } from '../../hosts/terminal/complete/command-line-completion.ts';
import { isPrintable } from '../../hosts/terminal/complete/known-values.ts';
import { type Options, readOptions } from '../../hosts/terminal/options/cli-options.ts';
import { tableOf } from '../../hosts/terminal/options/options.ts';
import { tenantOptions } from '../../hosts/terminal/options/shell.ts';
import { typedLine } from '../../hosts/terminal/options/shell-words.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';
import { openValueCache } from './value-cache.ts';

type Context = Pick<SubcommandContext, 'host' | 'subcommands'>;

/** Returns a directive, then one candidate a line. @param words as the script of the shell passes them */
export function candidateLines(shell: string, words: readonly string[], cli: Context): Promise<string[]> {
  return shell === 'bash' ? forBash(words, cli) : forWords(shell, words, cli);
}

async function forBash([breaks = '', line = '']: readonly string[], cli: Context): Promise<string[]> {
  const { words, current, written } = typedLine(line, breaks);
  const { values, files } = await offered(words.slice(1), current, cli);
  const texts = values.flatMap(({ value }) => written(value) ?? []);
  return [directiveOf(texts, files), ...texts];
}

async function forWords(shell: string, typed: readonly string[], cli: Context): Promise<string[]> {
  const raw = typed.at(-1) ?? '';
  // fish passes the word at the cursor with its quotes.
  const current = shell === 'fish' ? typedLine(raw, '').current : raw;
  const { values, files } = await offered(typed.slice(0, -1), current, cli);
  const lines = values.map(({ value, description = '' }) => `${value}\t${description.replace(/\p{C}/gu, ' ')}`);
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

/** Reads the options that choose the tenant. @returns undefined for a line that would be refused */
function optionsIn(words: readonly string[], { subcommands }: Context): Options | undefined {
  const table = tableOf(subcommands);
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

function directiveOf(values: readonly string[], files = false): string {
  if (files) return ':files';
  return values.length > 0 && values.every((value) => /[=~<>]$/.test(value)) ? ':nospace' : ':';
}
