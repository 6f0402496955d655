/** Leads from the result of a scan to its report. */
import { addressOf } from '../state.ts';

/** Outputs that hold one scan. */
const SCAN = /^AiSec\.(?:RedTeam|ModelSecurity)Scan(?:Create|Get)$/;
/** States of scans with a report. */
const FINISHED: readonly unknown[] = ['COMPLETED', 'PARTIALLY_COMPLETE', 'ALLOWED', 'BLOCKED', 'ERROR'];

/** Links to the report of the finished scan in a result, if there is one. */
export function ReportLink({ outputs }: { readonly outputs: Readonly<Record<string, unknown>> }) {
  const [, scan = {}] = Object.entries(outputs).find(([path]) => SCAN.test(path)) ?? [];
  const { uuid, status, eval_outcome } = scan as Readonly<Record<string, unknown>>;
  if (!FINISHED.includes(eval_outcome ?? status)) return undefined;
  return (
    <p>
      <a href={addressOf('reports', String(uuid))}>Open the report</a>
    </p>
  );
}
