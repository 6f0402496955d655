import type { CommandInfo } from '../../../manifest/catalogue.ts';
import { jsonText } from '../json.ts';
import { plainMeasure } from '../measure.ts';
import type { Screen } from '../screen.ts';
import type { Invoked } from '../subcommand.ts';
import { cut } from '../wrap.ts';

/** `aisec commands`: every command, one line each. A pipe gets whole lines, for grep. */
export async function commands({ host, options, screen }: Invoked): Promise<number> {
  const catalogue = await host.catalogue();
  const asJson = options.json || options.format === 'json';
  screen.result(asJson ? jsonText(catalogue, screen.terminal) : commandLines(catalogue, screen).join('\n'));
  return 0;
}

/** One line for each command, cut to the width of a terminal. */
export function commandLines(catalogue: readonly CommandInfo[], screen: Pick<Screen, 'terminal' | 'width'>): string[] {
  const longest = catalogue.reduce((most, { name }) => Math.max(most, name.length + 1), 0);
  const lines = catalogue.map(({ name, summary }) => `${`!${name}`.padEnd(longest)}  ${summary}`);
  return screen.terminal ? lines.map((line) => cut(line, { width: screen.width, measure: plainMeasure })) : lines;
}
