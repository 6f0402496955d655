/** Writes the DLP resources of a tenant as entries of a guardrails file. */
import type { JsonObject } from '../../../core/json.ts';
import { DLP_KINDS } from '../dlp/kinds.ts';
import { DLP_LISTS } from '../dlp/plan-dlp.ts';
import type { DlpTenant } from '../dlp/read-dlp.ts';
import { byText } from '../portable.ts';
import { named } from '../tenant.ts';

/** Writes the lists of all kinds. @throws ConflictError if two resources of a kind have one name */
export function dlpLists({ records }: DlpTenant): Readonly<Record<string, readonly JsonObject[]>> {
  const lists = DLP_KINDS.map((kind) => {
    const own = records.filter((record) => record.kind === kind);
    const sorted = own.toSorted((one, other) => byText(one.name, other.name));
    for (const { name } of sorted) named(own, name);
    return [DLP_LISTS[kind], sorted.map(({ name, members }) => ({ name, ...members }))] as const;
  });
  return Object.fromEntries(lists);
}
