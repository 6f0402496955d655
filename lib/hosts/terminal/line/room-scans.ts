/** The scans of a war room, from the outputs of its commands. */
import { objectOf, objectsOf } from '../../../core/json.ts';
import { isoDate } from '../../../core/text/date.ts';
import type { ContextWrite } from '../../../runtime/output/result.ts';
import { readRow } from '../../../runtime/output/verdict.ts';

/** A scan of a prompt, or of the prompts of one request. */
export interface RoomScan {
  readonly scan_id: string;
  readonly scanned_at: unknown;
  readonly profile_name: unknown;
  readonly decision: string;
  readonly prompts: number;
}

/** Lists the scans that a command made, in order. @param now milliseconds since the epoch */
export function scansIn(writes: readonly ContextWrite[], now: number): RoomScan[] {
  const scanned_at = isoDate(now);
  return writes.flatMap(({ path, value }) => {
    if (path === 'AiSec.RuntimeScan') return scansOf([value], objectOf(value)['profile_name'], scanned_at);
    const { results, profile_name } = path === 'AiSec.BulkScan' ? objectOf(value) : {};
    return scansOf(results, profile_name, scanned_at);
  });
}

function scansOf(rows: unknown, profile_name: unknown, scanned_at: unknown): RoomScan[] {
  const scans = new Map<string, readonly string[]>();
  for (const row of objectsOf(rows)) {
    const { scan_id } = row;
    if (typeof scan_id === 'string') scans.set(scan_id, [...(scans.get(scan_id) ?? []), readRow(row).decision]);
  }
  return [...scans].map(([scan_id, all]) => {
    const decision = ['block', 'none'].find((each) => all.includes(each)) ?? 'allow';
    return { scan_id, scanned_at, profile_name, decision, prompts: all.length };
  });
}
