/** A change that leads a tenant to what a file states. */
import type { MemberChange } from './reconcile.ts';
import type { AnyKind, Members, TenantRecord } from './tenant.ts';

/** `unlisted`: the file does not have it, and it stays. `skipped`: the file has it, and no command can make it so. */
export type Verb = 'create' | 'update' | 'delete' | 'unchanged' | 'unlisted' | 'skipped';

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
  /** Why it is skipped. */
  readonly reason?: string;
  /** The record of the service; undefined for a create. */
  readonly record?: TenantRecord;
}
