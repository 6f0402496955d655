import { dirname } from 'node:path';
import { PartialError } from '../../../core/errors.ts';
import { isForPrograms } from '../../../hosts/terminal/line/options.ts';
import { type PageContext, pageFlags } from '../../../hosts/terminal/line/shared-flags.ts';
import type { Subcommand } from '../../../hosts/terminal/line/subcommand.ts';
import { printLong } from '../../../hosts/terminal/result/print-long.ts';
import { jsonText } from '../../../hosts/terminal/ui/json.ts';
import { sanitize } from '../../../hosts/terminal/ui/sanitize.ts';
import type { DashboardData } from '../model.ts';

const USAGE = 'dashboard [--html FILE] [--open]';

interface Written {
  readonly file: string;
  /** In bytes. */
  readonly size: number;
}

/** `aisec dashboard`: shows the state of a tenant, or writes it as one HTML page. */
export const dashboard: Subcommand<typeof pageFlags> = {
  usage: USAGE,
  summary: 'Show what needs attention, success rates and quota of a tenant; as a page with --html.',
  words: 0,
  flags: pageFlags,
  dryRun: ({ options }) => (options.html === undefined && !options.open ? 'reads' : 'honours'),
  inRoom: { usage: 'dashboard', summary: 'Show what needs attention in the tenant.', isAlias: true },
  run: async (cli) => {
    const { options } = cli;
    const [{ withCollection }, { openPage, withPageFile }, { collectDashboard }] = await Promise.all([
      import('../../scans/scans.ts'),
      import('../../scans/open-page.ts'),
      import('../collect.ts'),
    ]);
    return withPageFile(options, 'aisec-dashboard.html', (file) =>
      withCollection(file, cli, async (collection, { configuration: { settings, file: section } }) => {
        const data = await collectDashboard(collection.run, {
          ...collection,
          tenant: settings.tsg_id,
          profile: section?.profile,
          production: section?.production ?? false,
        });
        const written = file === undefined ? undefined : { file, size: await write(data, file, cli) };
        await show(data, written, cli);
        if (options.open && file !== undefined) await openPage(file, cli);
        return end(data, cli);
      }),
    );
  },
};

/** Writes the page. @returns its size in bytes */
async function write(data: DashboardData, file: string, cli: PageContext): Promise<number> {
  const [{ writePage }, { scanPagesIn }, { commandLink, dashboardPage }] = await Promise.all([
    import('../../scans/scans.ts'),
    import('../../scans/open-page.ts'),
    import('../page.ts'),
  ]);
  const page = dashboardPage(data, commandLink(await scanPagesIn(dirname(file))));
  await writePage(file, page, cli);
  return Buffer.byteLength(page);
}

async function show(data: DashboardData, written: Written | undefined, cli: PageContext): Promise<void> {
  const { screen, format, options } = cli;
  if (isForPrograms(format)) {
    const { dashboardJson } = await import('../model.ts');
    const dryRun = options.dryRun ? { dry_run: true } : {};
    return screen.result(jsonText({ ...dashboardJson(data), ...written, ...dryRun }, screen.terminal));
  }
  await printLong(await text(data, cli), cli);
  if (written === undefined || options.quiet) return;
  const place = options.dryRun ? 'would be written to' : 'is in';
  screen.note(sanitize(`note: the page ${place} ${written.file} (${written.size} bytes).`));
}

/** Renders the dashboard, shortened to fit the screen unless the user asks for everything. */
async function text(data: DashboardData, cli: PageContext): Promise<string> {
  const { host, screen, format, options } = cli;
  const [{ pageFor, readableText }, { renderReadable }, { dashboardReadable }] = await Promise.all([
    import('../../../hosts/terminal/result/page.ts'),
    import('../../../hosts/terminal/result/table.ts'),
    import('./dashboard-view.ts'),
  ]);
  const wide = options.wide || format === 'markdown';
  const rows = screen.terminal ? host.stdout.rows : undefined;
  const readable = dashboardReadable(data, { width: screen.width, rows, wide });
  if (format === 'markdown') return readableText(readable, cli);
  const shown = { wide, isExplained: true };
  return renderReadable(readable, await pageFor(readable, cli), shown);
}

async function end({ missing, simulated }: DashboardData, { format, screen, report }: PageContext): Promise<number> {
  if (simulated && isForPrograms(format)) screen.note('note: answered by the simulated service, not by a tenant.');
  const lost = missing.filter(({ failed }) => failed);
  const [first] = lost;
  if (first === undefined) return 0;
  const whats = [...new Set(lost.map(({ what }) => what))].join('; ');
  return report(new PartialError(`Not everything could be read: ${whats}.`, { hint: first.why }));
}
