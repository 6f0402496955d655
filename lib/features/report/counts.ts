/** What the success rate of a report is a share of. */
import { numberOf } from '../../core/received.ts';
import type { RedTeamReport, RedTeamScan } from '../commands.ts';

/** Returns the successful attacks and all of them; of a dynamic scan, its streams. */
export function countsOf(job: RedTeamScan, report: RedTeamReport) {
  const isDynamic = job.job_type === 'DYNAMIC';
  return {
    hits: numberOf(isDynamic ? report.total_threats : report.successful_attacks),
    trials: numberOf(isDynamic ? job.total : report.total_attacks),
  };
}
