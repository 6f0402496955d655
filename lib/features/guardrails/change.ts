/** A change that leads a tenant to what a file states. */
import type { MemberChange } from './reconcile.ts';
import type { AnyKind, Members, TenantRecord } from './tenant.ts';

/** `unlisted`: the file does not have it, and it stays. */
export type Verb = 'create' | 'update' | 'delete' | 'unchanged' | 'unlisted';

export interface Change {
  readonly kind: AnyKind;
  readonly name: string;
  readonly verb: Verb;
  /** Members that a create or an update changes. */
  readonly members: readonly MemberChange[];
  /** Members of the file; undefined for a resource that it does not have. */
  readonly stated?: Members;
  /** All members after a create or an update. */
  readonly after?: Members;
  /** The record of the service; undefined for a create. */
  readonly record?: TenantRecord;
}
