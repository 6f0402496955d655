/** Runs `aisec explain`: fetches an earlier scan, and shows it with the findings of each detector. */
import { Api } from '../../api/client.ts';
import { ServiceError, UsageError } from '../../core/errors.ts';
import { findCommand } from '../../engine/command.ts';
import { type PastScan, pastScan } from '../../features/explain/past-scan.ts';
import { scanIdOf } from '../../features/explain/scan-id.ts';
import { commandRunner } from '../../hosts/terminal/modes/command-runner.ts';
import { type Session, sessionOf } from '../../hosts/terminal/modes/session.ts';
import { isForPrograms } from '../../hosts/terminal/options/options.ts';
import { jsonText } from '../../hosts/terminal/render/json.ts';
import { printLong } from '../../hosts/terminal/render/print-long.ts';
import { type SubcommandContext, usageError } from '../../hosts/terminal/subcommand.ts';
import { listOf } from '../../output/readable.ts';
import { scanVerdict } from '../../output/verdict.ts';
import { plural } from '../../text/numbers.ts';
import { readableText } from '../tools/page.ts';
import { explanationJson, pastReadable } from './view.ts';

/** Exit code of a blocked scan with `--exit-code`. */
const BLOCKED = 1;
/** Names the last scan of a war room. */
const LAST = 'last';
const NO_SCAN = 'No scan has run in this war room yet.';

/** Shows a scan, or the scans of a war room. @returns 8 if a prompt of the scan has no verdict */
export async function runExplain(cli: SubcommandContext): Promise<number> {
  const { host, options, screen, format, signal } = cli;
  const [word] = cli.words;
  if (word === undefined && cli.session !== undefined) return showScans(cli.session, cli);
  if (word === undefined) throw usageError('aisec explain needs the id of a scan.', 'explain SCAN_ID');
  const typed = word === LAST ? lastOf(cli.session) : word;
  const session = await sessionOf(cli);
  try {
    const runtime = await session.runtime(signal);
    const api = new Api(runtime);
    const ids = session.scans().map(({ scan_id }) => scan_id);
    const scanId = await scanIdOf(typed, ids, api);
    if (scanId !== word && !options.quiet) screen.note(`note: SCAN_ID is ${scanId}`);
    const past = await pastScan(scanId, api, runtime.clock);
    const simulated = api.simulated();
    if (isForPrograms(format)) {
      if (simulated) screen.note('note: answered by the simulated service, not by a tenant.');
      screen.result(jsonText(explanationJson(past, simulated), screen.terminal));
    } else {
      const command = await findCommand(host.registry, 'aisec-runtime-scan');
      const run = commandRunner(host, session, signal);
      const readable = await pastReadable(past, { command, run, simulated });
      await printLong(await readableText(readable, cli), cli);
    }
    const error = unfinishedError(past) ?? (options.exitCode ? doubtIn(past) : undefined);
    if (error !== undefined) return await cli.report(error);
    return options.exitCode && verdictsOf(past).includes('block') ? BLOCKED : 0;
  } finally {
    await session.close();
  }
}

async function showScans(session: Session, cli: SubcommandContext): Promise<number> {
  const scans = session.scans();
  if (scans.length === 0) throw new UsageError(NO_SCAN, { hint: 'Scan first, or give an id: explain SCAN_ID' });
  if (isForPrograms(cli.format)) {
    cli.screen.result(jsonText({ scans }, cli.screen.terminal));
    return 0;
  }
  const columns = ['scanned_at', 'profile_name', 'decision', 'prompts', 'scan_id'];
  const notes = ['See what the detectors found with: explain last, or explain SCAN_ID'];
  const tables = [
    listOf(
      scans.map((scan) => ({ ...scan })),
      { columns },
    ),
  ];
  const readable = { title: 'Scans of This War Room', simulated: cli.options.simulate, tables, notes };
  await printLong(await readableText(readable, cli), cli);
  return 0;
}

/** @throws UsageError without a scan, or outside of a war room */
function lastOf(session: Session | undefined): string {
  const last = session?.scans().at(-1);
  if (last !== undefined) return last.scan_id;
  if (session !== undefined) throw new UsageError(NO_SCAN);
  throw usageError('The word last names a scan only in the war room.', 'explain SCAN_ID');
}

/** A scan without all of its verdicts never passes for an explained one. */
function unfinishedError({ scanId, rows }: PastScan): ServiceError | undefined {
  const open = rows.filter(({ response }) => Object.keys(response).length === 0);
  if (open.length === 0) return undefined;
  const states = [...new Set(open.map(({ status }) => status))].join(', ');
  const which = rows.length === 1 ? 'The scan has' : `${plural(open.length, 'prompt')} of ${rows.length} have`;
  return new ServiceError(`${which} no verdict: its status is ${states}.`, {
    hint: `If it is pending, look again: aisec explain ${scanId}`,
  });
}

function verdictsOf({ rows }: PastScan) {
  return rows.map(({ response }) => scanVerdict(response));
}

function doubtIn(past: PastScan): ServiceError | undefined {
  const verdicts = verdictsOf(past);
  const doubt = verdicts.find((verdict) => typeof verdict === 'object');
  if (doubt === undefined || verdicts.includes('block')) return undefined;
  return new ServiceError(doubt.doubt, { hint: 'Scan again, or review the result: it does not count as allowed.' });
}
