import type { Lookup } from '../../arguments/builders.ts';
import { candidates } from '../../hosts/terminal/complete/command-line-completion.ts';
import { isPrintable } from '../../hosts/terminal/complete/known-values.ts';
import { type Options, readOptions } from '../../hosts/terminal/options/cli-options.ts';
import { OPTIONS } from '../../hosts/terminal/options/options.ts';
import { typedLine } from '../../hosts/terminal/options/shell-words.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';
import { openValueCache } from './value-cache.ts';

/** `aisec __complete -- SHELL ...`: prints a directive, then one candidate a line. It never fails and never waits. */
export async function complete(cli: SubcommandContext): Promise<number> {
  const { screen, words } = cli;
  const [shell, ...rest] = words;
  try {
    screen.result((shell === 'bash' ? await forBash(rest, cli) : await forWords(shell ?? '', rest, cli)).join('\n'));
  } catch {
    // A message would appear in the middle of the line that is typed.
    screen.result(':');
  }
  return 0;
}

async function forBash([breaks = '', line = '']: readonly string[], cli: SubcommandContext): Promise<string[]> {
  const { words, current, written } = typedLine(line, breaks);
  const { values, files } = await offered(words.slice(1), current, cli);
  const texts = values.flatMap(({ value }) => written(value) ?? []);
  return [directiveOf(texts, files), ...texts];
}

async function forWords(shell: string, typed: readonly string[], cli: SubcommandContext): Promise<string[]> {
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

async function offered(words: readonly string[], current: string, cli: SubcommandContext) {
  const { host, subcommands } = cli;
  const options = optionsIn(words);
  const cache = options === undefined ? undefined : openValueCache(options, host.environment);
  const known = ({ command }: Lookup) => {
    const values = cache?.read(command) ?? [];
    if (options !== undefined && cache?.claim(command) === true) {
      host.startDetached?.(['__refresh', ...argumentsFor(options), '--', command]);
    }
    return values;
  };
  const { values, files } = candidates(words, current, { catalogue: await host.catalogue(), subcommands, known });
  return { values: values.filter(({ value }) => isPrintable(value.trim())), files };
}

/** Reads the options that choose the tenant. @returns undefined for a line that would be refused */
function optionsIn(words: readonly string[]): Options | undefined {
  // The last word may be an option whose value is being typed.
  for (const typed of [words, words.slice(0, -1)]) {
    try {
      return readOptions(typed).options;
    } catch {
      // The shorter line may be valid.
    }
  }
  return undefined;
}

function argumentsFor({ config, profile, simulate, settings }: Options): string[] {
  const options: Readonly<Record<string, string | undefined>> = { config, profile, ...settings };
  const typed = Object.entries(options).flatMap(([property, value]) => {
    const name = property.replace(/_/g, '-');
    if (value === undefined) return [];
    if (OPTIONS[name]?.kind === 'flag') return value === 'true' ? [`--${name}`] : [];
    return [`--${name}=${value}`];
  });
  return simulate ? [...typed, '--simulate'] : typed;
}

function directiveOf(values: readonly string[], files = false): string {
  if (files) return ':files';
  return values.length > 0 && values.every((value) => value.endsWith('=')) ? ':nospace' : ':';
}
