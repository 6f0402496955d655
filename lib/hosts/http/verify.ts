/** Checks work before it is accepted as a run: what can be known must not fail later. */
import { ownerKey, type RunOwner, type RunRequest } from '../../runs/port.ts';
import type { Tenants } from '../../runs/tenants.ts';
import { documentOf } from './problems.ts';
import type { SessionStore } from './sessions.ts';

export interface VerifyParts {
  readonly tenants: Tenants;
  readonly sessions: SessionStore;
}

/** Creates the check. Playbooks are checked when their request is read. @throws the error of the same work without a run */
export function verifierOf({ tenants, sessions }: VerifyParts): (work: RunRequest, owner: RunOwner) => Promise<void> {
  return async (work, owner) => {
    const client = tenants.clientFor(owner);
    if (work.kind === 'command') return client.verify(work.command, work.args as Record<string, unknown>);
    if (work.kind === 'playbook') return undefined;
    const session = sessions.find(ownerKey(owner), work.session);
    try {
      return await client.verifyLine(work.line, { context: session.room.context });
    } catch (thrown) {
      // As an entry, like every line that fails.
      await session.keep(work.line, { problem: documentOf(thrown) });
      throw thrown;
    }
  };
}
