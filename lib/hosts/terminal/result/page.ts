/** Prints tables and pages of subcommands. */

import type { Readable } from '../../../runtime/output/readable.ts';
import type { SubcommandContext } from '../line/subcommand.ts';
import { measureFor } from '../ui/measure.ts';
import type { Page } from '../ui/wrap.ts';

type Context = Pick<SubcommandContext, 'screen' | 'signal' | 'format' | 'options'>;

/** Returns the page layout for the output. */
export async function pageFor(shown: unknown, { screen, signal }: Pick<Context, 'screen' | 'signal'>) {
  const { width, style } = screen;
  return { width, style, signal, measure: await measureFor(shown) } satisfies Page & { signal: AbortSignal };
}

/** Renders tables and notes for people: as markdown if requested. */
export async function readableText(readable: Readable, cli: Context): Promise<string> {
  if (cli.format === 'markdown')
    return (await import('../../../runtime/output/markdown.ts')).markdown(readable).trimEnd();
  const { renderReadable } = await import('./table.ts');
  return renderReadable(readable, await pageFor(readable, cli), { wide: cli.options.wide });
}

/** Prints a table under a title. */
export async function printTables(title: string, tables: Readable['tables'], cli: Context): Promise<void> {
  cli.screen.result(await readableText({ title, simulated: false, tables, notes: [] }, cli));
}
