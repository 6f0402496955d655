/** Ids of DLP resources by their names: a file has the names, and each tenant its ids. */
import type { MovedKind } from '../tenant.ts';

/** A resource of the tenant, also one of the service itself. */
export interface Known {
  readonly id: string;
  readonly name: string;
  /** Version of a pattern or a data profile, which references may have. */
  readonly version?: number;
  /** The tenant cannot change it: it is predefined, or a parent tenant manages it. */
  readonly fixed: boolean;
}

/** Resources by kind; created resources are added. */
export class DlpNames {
  private readonly known = new Map<MovedKind, readonly Known[]>();

  add(kind: MovedKind, found: readonly Known[]): void {
    this.known.set(kind, [...this.all(kind), ...found]);
  }

  all(kind: MovedKind): readonly Known[] {
    return this.known.get(kind) ?? [];
  }

  byId(kind: MovedKind, id: string): Known | undefined {
    return this.all(kind).find((each) => each.id === id);
  }

  byName(kind: MovedKind, name: string): Known | undefined {
    return this.all(kind).find((each) => each.name === name);
  }
}
