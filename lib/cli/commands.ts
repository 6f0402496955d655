import { shortName } from '../hosts/terminal/complete/command-name.ts';
import { jsonText } from '../hosts/terminal/render/json.ts';
import { plainMeasure } from '../hosts/terminal/render/measure.ts';
import { printLong } from '../hosts/terminal/render/print-long.ts';
import type { Screen } from '../hosts/terminal/render/screen.ts';
import { cut } from '../hosts/terminal/render/wrap.ts';
import type { SubcommandContext } from '../hosts/terminal/subcommand.ts';
import type { CommandInfo } from '../manifest/catalogue.ts';

/** `aisec commands`: lists every command on one line. In a pipe the lines are not cut, for grep. */
export async function commands(cli: SubcommandContext): Promise<number> {
  const { host, options, screen } = cli;
  const catalogue = await host.catalogue();
  const asJson = options.json || options.format === 'json';
  await printLong(asJson ? jsonText(catalogue, screen.terminal) : commandLines(catalogue, screen).join('\n'), cli);
  return 0;
}

/** Returns one line for each command, cut to the width of a terminal. */
export function commandLines(catalogue: readonly CommandInfo[], screen: Pick<Screen, 'terminal' | 'width'>): string[] {
  // A person types the short name, and needs the room for the summary.
  const named = catalogue.map(
    ({ name, summary }) => [screen.terminal ? shortName(name) : `!${name}`, summary] as const,
  );
  const longest = named.reduce((most, [{ length }]) => Math.max(most, length), 0);
  const lines = named.map(([name, summary]) => `${name.padEnd(longest)}  ${summary}`);
  return screen.terminal ? lines.map((line) => cut(line, { width: screen.width, measure: plainMeasure })) : lines;
}
