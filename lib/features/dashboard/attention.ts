/** Finds what needs attention in the records of a tenant. */
import { asText } from '../../core/json.ts';
import { plural } from '../../core/text/numbers.ts';
import type { RecordOf } from '../scans/commands.ts';
import { timeOf } from '../scans/format.ts';
import type { Attention, OpenFindings, Quota, Urgency } from './model.ts';
import type { Group } from './scans.ts';

const DAY_MS = 86_400_000;
/** A key that expires within this number of days needs attention. */
export const KEY_DAYS = 30;
/** A key that expires within this number of days is urgent. */
const URGENT_DAYS = 7;
/** A quota needs attention once this share of it is used, in percent. */
const QUOTA_SHARE = 90;

const URGENCIES: readonly Urgency[] = ['critical', 'high', 'medium'];

/** Sorts the most urgent items first; items of equal urgency keep their order. */
export function mostUrgentFirst(all: readonly Attention[]): readonly Attention[] {
  return all.toSorted((a, b) => URGENCIES.indexOf(a.urgency) - URGENCIES.indexOf(b.urgency));
}

const LATER = '; later scans did not run these';

/**
 * Lists targets against which critical attacks succeed, and targets that gave in to goals or prompts, which have no
 * severity.
 */
export function openAttacks(open: readonly OpenFindings[]): readonly Attention[] {
  return open.flatMap(({ target = 'unnamed target', scan, severities, isOlder, noun, hits: all = 0, trials }) => {
    const hits = (name: string) => severities.find(({ severity }) => severity.toLowerCase() === name)?.hit ?? 0;
    const critical = hits('critical');
    const high = hits('high') === 0 ? '' : `, and ${hits('high')} high`;
    if (critical === 0 && (noun === 'attack' || all === 0)) return [];
    const share = trials === undefined ? plural(all, noun) : `${all} of ${plural(trials, noun)}`;
    return {
      urgency: critical > 0 ? ('critical' as const) : ('high' as const),
      kind: 'Red team',
      subject: target,
      state: `gave in to ${critical > 0 ? `${plural(critical, `critical ${noun}`)}${high}` : share}${isOlder ? LATER : ''}`,
      command: `aisec report ${scan} --open`,
      scan,
    };
  });
}

const UNFINISHED: Readonly<Record<string, { readonly word: string; readonly verb: string }>> = {
  FAILED: { word: 'failed', verb: 'failed' },
  ABORTED: { word: 'aborted', verb: 'was stopped' },
  PARTIALLY_COMPLETE: { word: 'partial', verb: 'stayed partial' },
};

const ENDED: readonly unknown[] = ['COMPLETED', ...Object.keys(UNFINISHED)];

/** Lists targets whose newest finished scan has no complete result; scans that still run are ignored. */
export function failedScans(groups: readonly Group[]): readonly Attention[] {
  return groups.flatMap(({ target = 'unnamed target', type, scans }) => {
    const newest = scans.find(({ status }) => ENDED.includes(status));
    const end = UNFINISHED[newest?.status ?? ''];
    if (newest === undefined || end === undefined) return [];
    const day = asText(newest.created_at).slice(0, 10);
    const scan = `${type.toLowerCase()} scan`;
    return {
      urgency: 'medium' as const,
      kind: 'Red team',
      subject: target,
      state: `${scan}${day === '' ? '' : ` of ${day}`} ${end.verb}`,
      command: `aisec redteam-scan-error-logs job_id=${asText(newest.uuid)}`,
      scan: asText(newest.uuid),
      brief: { word: end.word, detail: `${scan} ${day}`.trim() },
    };
  });
}

type Key = RecordOf<'aisec-runtime-api-keys-list'>;

/** Lists keys that have expired or are about to; a revoked key needs no attention. @param now in milliseconds */
export function expiringKeys(keys: readonly Key[], now: number): readonly Attention[] {
  return keys.flatMap(({ name, id, expires_at, revoked }) => {
    const expires = timeOf(expires_at);
    if (expires === undefined || revoked === true) return [];
    const days = Math.floor((expires - now) / DAY_MS);
    if (days >= KEY_DAYS) return [];
    const [verb, when] =
      expires <= now ? ['expired', `on ${asText(expires_at).slice(0, 10)}`] : ['expires', `in ${plural(days, 'day')}`];
    return {
      urgency: days < URGENT_DAYS ? ('high' as const) : ('medium' as const),
      kind: 'API key',
      subject: asText(name ?? id),
      state: `${verb} ${when}`,
      command: 'aisec runtime-api-keys-list',
      brief: { word: verb, detail: when },
    };
  });
}

const DECIDED: readonly unknown[] = ['ALLOWED', 'BLOCKED', 'ERROR'];

type ModelScan = RecordOf<'aisec-model-security-scans-list'>;

/** Lists models whose newest decided scan in a security group was blocked or failed. @param scans newest first */
export function blockedModels(scans: readonly ModelScan[]): readonly Attention[] {
  const newest = new Map<string, ModelScan>();
  for (const scan of scans) {
    if (!DECIDED.includes(scan.eval_outcome)) continue;
    const key = JSON.stringify([scan.model_uri, scan.security_group_uuid ?? scan.security_group_name]);
    if (!newest.has(key)) newest.set(key, scan);
  }
  return [...newest.values()].flatMap(({ uuid, model_uri, eval_outcome, security_group_name }) => {
    if (eval_outcome !== 'BLOCKED' && eval_outcome !== 'ERROR') return [];
    const isBlocked = eval_outcome === 'BLOCKED';
    const group = asText(security_group_name);
    const by = group === '' ? '' : `by ${group}`;
    return {
      urgency: isBlocked ? ('high' as const) : ('medium' as const),
      kind: 'Model',
      subject: asText(model_uri ?? uuid),
      state: `${isBlocked ? 'is blocked' : 'could not be scanned'} ${by}`.trim(),
      command: `aisec report ${asText(uuid)} --open`,
      scan: asText(uuid),
      brief: isBlocked ? { word: 'blocked', detail: by } : { word: 'error', detail: `not scanned ${by}`.trim() },
    };
  });
}

/** Lists quotas that are nearly or completely used. */
export function usedQuotas(quotas: readonly Quota[]): readonly Attention[] {
  return quotas.flatMap(({ type, consumed = 0, allocated = 0, unlimited }) => {
    if (unlimited || allocated <= 0 || (consumed / allocated) * 100 < QUOTA_SHARE) return [];
    const isUsedUp = consumed >= allocated;
    return {
      urgency: isUsedUp ? ('high' as const) : ('medium' as const),
      kind: 'Quota',
      subject: type,
      state: `${isUsedUp ? 'is used up' : 'is nearly used up'}: ${consumed} of ${plural(allocated, 'scan')}`,
      command: 'aisec redteam-metering-quota',
    };
  });
}
