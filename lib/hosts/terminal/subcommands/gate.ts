/** `aisec gate`: fetches a result, decides whether a build may pass, and writes what code scanning and CI read. */
import type { Ask } from '../../../ask.ts';
import { GateError, ServiceError, UsageError } from '../../../errors.ts';
import { bulkVerdict } from '../../../gate/bulk.ts';
import { junit } from '../../../gate/junit.ts';
import { modelVerdict } from '../../../gate/model.ts';
import { redTeamVerdict, successesOf } from '../../../gate/red-team.ts';
import { sarif } from '../../../gate/sarif.ts';
import { SEVERITIES, type Verdict } from '../../../gate/verdict.ts';
import { checkWhole, writeWhole } from '../../../node/write-whole.ts';
import { asking } from '../asking.ts';
import { jsonText } from '../json.ts';
import { isForPrograms } from '../options.ts';
import { openSession, type Session } from '../session.ts';
import type { Invoked } from '../subcommand.ts';

/** More violations and attacks than these are not needed to decide, and no reader of the files takes them. */
const MOST_ROWS = '5000';

/** @returns 0 when the gate is passed; otherwise the reported error's exit code */
export async function gate(invoked: Invoked): Promise<number> {
  const { host, options, screen, format, report } = invoked;
  const [kind = '', subject = ''] = invoked.words;
  for (const file of [options.sarif, options.junit]) if (file !== undefined) await checkWhole(file);
  const session = await openSession(host, options, screen);
  try {
    const { ask, simulated } = noting(asking(host, session, invoked.signal));
    const verdict = await verdictOf(kind, subject, invoked, session, ask);
    const isSimulated = simulated() || verdict.simulated === true;
    if (isSimulated) screen.note('note: answered by the simulated service, not by a tenant.');
    if (options.sarif !== undefined) await writeWhole(options.sarif, sarif(verdict, host.version));
    if (options.junit !== undefined) await writeWhole(options.junit, junit(verdict));
    if (isForPrograms(format)) screen.result(jsonText(asJson(verdict, isSimulated), screen.terminal));
    else screen.result(verdict.summary);
    if (verdict.unfinished !== undefined) {
      return await report(
        new ServiceError(verdict.unfinished, { hint: 'This is not a pass: wait for the result, or look into it.' }),
      );
    }
    if (!verdict.failed) return 0;
    return await report(new GateError(`The gate is closed: ${verdict.summary}`, { hint: hintFor(verdict) }));
  } finally {
    await session.close();
  }
}

/** Remembers whether the simulated service answered: its verdicts must not be taken for a tenant's. */
function noting(inner: Ask): { ask: Ask; simulated: () => boolean } {
  let simulated = false;
  const ask: Ask = async (name, args) => {
    const answer = await inner(name, args);
    simulated ||= answer.simulated;
    return answer;
  };
  return { ask, simulated: () => simulated };
}

async function verdictOf(
  kind: string,
  subject: string,
  { options, signal }: Invoked,
  session: Session,
  ask: Ask,
): Promise<Verdict> {
  if (subject === '') throw new UsageError('aisec gate needs what to decide on.', { hint: `Usage: aisec ${USAGE}` });
  switch (kind) {
    case 'model': {
      const { record: scan } = await ask('aisec-model-security-scans-get', { uuid: subject });
      const { record: found } = await ask('aisec-model-security-scans-violations', { uuid: subject, limit: MOST_ROWS });
      return modelVerdict(scan, found['violations']);
    }
    case 'bulk': {
      const { files } = await session.runtime(signal);
      const file = await files.find(subject);
      const reader = await files.read(file);
      try {
        return await bulkVerdict(reader, file.name);
      } finally {
        await reader.close();
      }
    }
    case 'redteam':
      return redTeam(subject, options, ask);
    default:
      throw new UsageError(`There is no gate "${kind.slice(0, 40)}".`, { hint: `Usage: aisec ${USAGE}` });
  }
}

export const USAGE = 'gate model SCAN_UUID | bulk FILE.jsonl | redteam JOB_ID';

async function redTeam(subject: string, { maxAsr, failOn }: Invoked['options'], ask: Ask): Promise<Verdict> {
  const severity = SEVERITIES.find((known) => known === failOn);
  if (maxAsr === undefined && severity === undefined) {
    throw new UsageError('A red-team gate needs a limit.', {
      hint: 'Add --max-asr N, --fail-on critical|high|medium|low, or both.',
    });
  }
  const { record: job } = await ask('aisec-redteam-scan-get', { job_id: subject });
  // A scan that has not ended has no report to ask for.
  const wanted = severity !== undefined && job['status'] === 'COMPLETED';
  const attacks = wanted ? await successesOf(job, subject, ask) : [];
  return redTeamVerdict(job, attacks, { maxAsr, failOn: severity });
}

function hintFor({ findings }: Verdict): string {
  const first = findings.slice(0, 3).map(({ message }) => message);
  return first.length === 0 ? 'Look at the result with its get command.' : first.join(' ');
}

function asJson({ subject, failed, unfinished, summary, findings }: Verdict, simulated: boolean) {
  return {
    gate: subject,
    passed: !failed && unfinished === undefined,
    unfinished: unfinished ?? null,
    summary,
    findings,
    ...(simulated ? { simulated } : {}),
  };
}
