/** Current rights of a token, for work and streams that outlive the request that started them. */
import { NotAllowedError } from '../../../core/errors.ts';
import type { CommandEntry } from '../../../manifest/command-catalogue.ts';
import type { RunOwner } from '../../../runs/port.ts';
import { permits } from '../../../runs/rights.ts';
import { callerKey, ownerOf } from '../owner.ts';
import { HttpError } from '../responses/problems.ts';
import type { Authenticate, Caller } from './authenticate.ts';

/** Finds a caller in the current token file. @returns undefined if its token has ended */
export function callerNow({ find }: Authenticate, { profile, ...caller }: Caller): Promise<Caller | undefined> {
  const key = callerKey(caller);
  return find((each) => callerKey(each) === key && each.profile === profile);
}

/** Returns the problem of a token that has ended. */
export function tokenEnded(): HttpError {
  return new HttpError(401, 'token', 'The token was revoked or has expired.', {
    hint: 'Ask for a new token: aisec serve token NAME.',
  });
}

/** Returns a check of the current rights of an owner, for commands that waited before they start. */
export function currentRights({ find }: Authenticate, catalogue: readonly CommandEntry[]) {
  return async (owner: RunOwner, command: string): Promise<void> => {
    const caller = await find((each) => callerKey(each) === owner.caller && (each.profile ?? '') === owner.tenant);
    if (caller === undefined) {
      throw new NotAllowedError('The token that asked for this was revoked or has expired.', {
        hint: 'Ask for a new token: aisec serve token NAME.',
      });
    }
    const { limits } = ownerOf(caller, catalogue);
    const isKnown = catalogue.some(({ name }) => name === command);
    // Leave the refusal to the client if the command was never allowed.
    if (!isKnown || !permits(owner.limits, catalogue)(command) || permits(limits, catalogue)(command)) return;
    throw new NotAllowedError(`${command} is not allowed for this client.`, {
      command,
      hint: 'The rights of its token are narrower now than when it asked for this.',
    });
  };
}
