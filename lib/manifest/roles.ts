/** Roles of callers, and the role that a command needs. */
import type { Command } from '../runtime/engine/command.ts';

/**
 * What a caller may do: `read` only reads, `operate` neither deletes nor sees new secrets, `admin` does everything.
 * Each role includes the previous roles.
 */
export const ROLES = ['read', 'operate', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export interface RoleFacts {
  readonly effect: Command['effect'];
  readonly annotations: { readonly openWorldHint: boolean };
  readonly issuesSecret: boolean;
}

/** Returns the lowest role that may run a command. */
export function leastRole({ effect, annotations: { openWorldHint }, issuesSecret: issues }: RoleFacts): Role {
  if (effect === 'delete' || issues) return 'admin';
  return effect === 'read' && !openWorldHint ? 'read' : 'operate';
}

export function mayRun(role: Role, entry: RoleFacts): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(leastRole(entry));
}
