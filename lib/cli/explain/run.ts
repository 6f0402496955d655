/** Runs `aisec explain`: fetches an earlier scan, and shows it with the findings of each detector. */
import { Api } from '../../api/client.ts';
import { ServiceError } from '../../core/errors.ts';
import { findCommand } from '../../engine/command.ts';
import { type PastScan, pastScan } from '../../features/explain/past-scan.ts';
import { scanIdOf } from '../../features/explain/scan-id.ts';
import { commandRunner } from '../../hosts/terminal/modes/command-runner.ts';
import { sessionOf } from '../../hosts/terminal/modes/session.ts';
import { isForPrograms } from '../../hosts/terminal/options/options.ts';
import { jsonText } from '../../hosts/terminal/render/json.ts';
import { printLong } from '../../hosts/terminal/render/print-long.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';
import { scanVerdict } from '../../output/verdict.ts';
import { plural } from '../../text/numbers.ts';
import { readableText } from '../tools/page.ts';
import { explanationJson, pastReadable } from './view.ts';

/** Exit code of a blocked scan with `--exit-code`. */
const BLOCKED = 1;

/** Shows a scan. @param typed its id, or a prefix @returns 8 if a prompt of it has no verdict */
export async function runExplain(typed: string, cli: SubcommandContext): Promise<number> {
  const { host, options, screen, format, signal } = cli;
  const session = await sessionOf(cli);
  try {
    const runtime = await session.runtime(signal);
    const api = new Api(runtime);
    const scanId = await scanIdOf(typed, session.context(), api);
    if (scanId !== typed && !options.quiet) screen.note(`note: SCAN_ID is ${scanId}`);
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
