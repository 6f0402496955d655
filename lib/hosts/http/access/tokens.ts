/** Keeps the tokens of the service in a file: their names, limits and digests, never the tokens. */

import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigurationError, UsageError } from '../../../core/errors.ts';
import { isObject, type JsonObject } from '../../../core/json.ts';
import { ROLES, type Role } from '../../../manifest/roles.ts';
import { TOOLSET_NAMES, toolset } from '../../../manifest/toolsets.ts';
import { writeFileAtomically } from '../../../node/files/atomic-write.ts';
import { OWNER_ONLY } from '../../../node/files/commit-file.ts';
import { lock } from '../../../node/files/lock.ts';
import { openPrivateFile } from '../../../node/files/private-file.ts';
import { didYouMean } from '../../../runtime/arguments/suggest.ts';

/** Who calls. */
export interface Caller {
  /** Name of the token. */
  readonly name: string;
  readonly role: Role;
  /** Limits the commands to these toolsets. Default: all. */
  readonly toolsets?: readonly string[];
  /** Section of the settings file, which selects the tenant. Default: the service's own section. */
  readonly profile?: string;
}

/** A caller whose token is known. A new token that reuses a name inherits nothing from the old token. */
export interface KnownCaller extends Caller {
  /** When the token was made. */
  readonly since?: string;
}

/** A token's entry in the file. */
export interface TokenEntry extends Caller {
  /** SHA-256 of the token, as 64 hexadecimal digits. */
  readonly sha256: string;
  /** ISO 8601. */
  readonly created: string;
  /** ISO 8601; the token is refused from then on. */
  readonly expires?: string;
}

/** Name of a token. */
export const TOKEN_NAME = /^[\w.-]{1,60}$/;
/** Matches a valid name of a settings section. */
export const PROFILE_NAME = /^[^\p{C}]{1,100}$/u;

const DIGEST = /^[0-9a-f]{64}$/;
const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;
const MEMBERS = ['name', 'sha256', 'role', 'toolsets', 'profile', 'created', 'expires'];

/**
 * Parses the text of a token file. One wrong entry makes the whole file invalid: otherwise a token with a misspelt
 * limit would have no limit.
 * @throws ConfigurationError that names the entry, and contains no digest
 */
export function parseTokens(path: string, text: string): readonly TokenEntry[] {
  const invalid = (what: string) => invalidTokens(path, what);
  const { tokens, ...others } = membersOf(text);
  if (!Array.isArray(tokens) || Object.keys(others).length > 0)
    throw invalid('must be a JSON object with only the list "tokens"');
  const entries = tokens.map((value: unknown, at): TokenEntry => {
    const problem = problemOf(value);
    if (problem !== undefined) throw invalid(`is wrong at token ${at + 1}: ${problem}`);
    return value as TokenEntry;
  });
  for (const member of ['name', 'sha256'] as const) {
    if (new Set(entries.map((entry) => entry[member])).size < entries.length)
      throw invalid(`has two tokens with the same ${member}`);
  }
  return entries;
}

/** Returns the error for an unusable token file. @param what the problem, as the end of a sentence */
export function invalidTokens(path: string, what: string): ConfigurationError {
  return new ConfigurationError(`The token file ${path} ${what}.`, {
    hint: 'Restore it, or remove it and make new tokens with: aisec serve token NAME --role ROLE',
  });
}

/** Parses a JSON object; returns an empty object for any other text. */
function membersOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns the problem of an entry, if any. */
function problemOf(entry: unknown): string | undefined {
  if (!isObject(entry)) return 'it is not an object';
  if (Object.keys(entry).some((member) => !MEMBERS.includes(member))) return `its members are ${MEMBERS.join(', ')}`;
  const { name, sha256, role, toolsets, profile, created, expires } = entry;
  const problems: readonly (readonly [boolean, string])[] = [
    [fits(name, TOKEN_NAME), 'name must be 1 to 60 letters, digits, "_", "." or "-"'],
    [fits(sha256, DIGEST), 'sha256 must be 64 hexadecimal digits in lower case'],
    [(ROLES as readonly unknown[]).includes(role), `role must be one of ${ROLES.join(', ')}`],
    [toolsets === undefined || areToolsets(toolsets), `toolsets must be a list of ${TOOLSET_NAMES.join(', ')}`],
    [profile === undefined || fits(profile, PROFILE_NAME), 'profile must be 1 to 100 printable characters'],
    [isDate(created), 'created must be a date and time in UTC, such as 2026-01-31T12:00:00Z'],
    [expires === undefined || isDate(expires), 'expires must be a date and time in UTC, such as 2026-01-31T12:00:00Z'],
  ];
  return problems.find(([isRight]) => !isRight)?.[1];
}

function fits(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function areToolsets(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((word) => (TOOLSET_NAMES as readonly unknown[]).includes(word))
  );
}

function isDate(value: unknown): boolean {
  return fits(value, DATE) && !Number.isNaN(Date.parse(String(value)));
}

/** A token to add. A person typed the values, so they are checked. */
export interface NewToken {
  readonly name: string;
  readonly role: string;
  readonly toolsets?: readonly string[] | undefined;
  readonly profile?: string | undefined;
  /** Milliseconds since the epoch; the token is refused from then on. Default: never. */
  readonly expires?: number | undefined;
}

/** A snapshot of the entries. */
export interface TokenSnapshot {
  /** Changes whenever the file does. */
  readonly stamp: string;
  readonly entries: readonly TokenEntry[];
}

export type TokenFile = ReturnType<typeof openTokenFile>;

const MAX_BYTES = 10_000_000;
const TOKEN_BYTES = 32;

/** Returns the digest of a token, as bytes. */
export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Generates a random token. */
export function newToken(): string {
  return `aisec_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
}

/**
 * Opens a token file; nothing is read yet.
 * @param now milliseconds since the epoch @param isAwaited whether a missing file has no tokens yet
 */
export function openTokenFile(path: string, now: () => number = Date.now, isAwaited = false) {
  const list = async (): Promise<readonly TokenEntry[]> => (await read(path, undefined))?.entries ?? [];
  return {
    path,
    /** Lists the tokens of the file, if it exists. @throws ConfigurationError for an untrusted file */
    list,
    /**
     * Adds a token.
     * @param dryRun only checks the token; writes nothing
     * @returns its text, which is shown once and never stored
     * @throws UsageError for a wrong name or limit; ConfigurationError for a bad file; ConflictError while another
     * process changes it
     */
    add: async (request: NewToken, dryRun = false) => {
      const limits = checked(request);
      const token = newToken();
      const sha256 = tokenDigest(token).toString('hex');
      const entry: TokenEntry = {
        ...limits,
        sha256,
        created: new Date(now()).toISOString(),
        ...expiryOf(request, now),
      };
      await changing(path, dryRun, async () => {
        const entries = await list();
        if (entries.some(({ name }) => name === entry.name)) {
          throw new UsageError(`A token "${entry.name}" already exists.`, {
            hint: `Choose another name, or revoke it first: aisec serve token ${entry.name} --revoke`,
          });
        }
        return [...entries, entry];
      });
      return { token, entry };
    },
    /** Removes a token. @throws UsageError for an unknown name, and as `add` */
    revoke: async (name: string, dryRun = false): Promise<TokenEntry> => {
      let revoked: TokenEntry | undefined;
      await changing(path, dryRun, async () => {
        const entries = await list();
        revoked = entries.find((entry) => entry.name === name);
        if (revoked === undefined) throw unknownToken(name, entries);
        return entries.filter((entry) => entry !== revoked);
      });
      return revoked as unknown as TokenEntry;
    },
    /**
     * Reads the file if its stamp differs.
     * @returns undefined if the stamp is the same
     * @throws ConfigurationError for a missing or untrusted file
     */
    changedSince: async (stamp: string | undefined): Promise<TokenSnapshot | undefined> => {
      const found = await read(path, stamp);
      if (found === undefined && isAwaited) return { stamp: '', entries: [] };
      if (found === undefined)
        throw new ConfigurationError(`The token file ${path} does not exist.`, { hint: MAKE_ONE });
      return found.stamp === stamp ? undefined : found;
    },
  };
}

const MAKE_ONE = 'Make a token with: aisec serve token NAME --role ROLE';

/** Reads the file, unless its stamp is the same. @returns undefined if it does not exist */
async function read(path: string, known: string | undefined): Promise<TokenSnapshot | undefined> {
  const file = await openPrivateFile('token file', path, constants.O_RDONLY);
  try {
    if (file === undefined) return undefined;
    const { ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
    const stamp = [ino, size, mtimeNs, ctimeNs].join(' ');
    if (stamp === known) return { stamp, entries: [] };
    if (size > MAX_BYTES) throw invalidTokens(path, 'is larger than 10 MB');
    return { stamp, entries: parseTokens(path, await file.readFile('utf8')) };
  } finally {
    await file?.close();
  }
}

/** Replaces the entries under a lock. A dry run only checks the change, and touches no file. */
async function changing(path: string, dryRun: boolean, change: () => Promise<readonly TokenEntry[]>): Promise<void> {
  if (dryRun) {
    await change();
    return;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const held = await lock(`${path}.lock`);
  try {
    const tokens = await change();
    await held.confirm();
    await writeFileAtomically(path, `${JSON.stringify({ tokens }, null, 2)}\n`, OWNER_ONLY);
  } finally {
    await held.release();
  }
}

/** Checks a request to add a token. */
function checked({ name, role, toolsets, profile }: NewToken): Caller {
  if (!TOKEN_NAME.test(name)) {
    throw new UsageError('A token name has 1 to 60 letters, digits, "_", "." or "-".', {
      hint: 'Name the program or the person that uses it, such as ci-scan.',
    });
  }
  const known = ROLES.find((each) => each === role);
  if (known === undefined) {
    const roles = `Roles: ${ROLES.join(', ')}.`;
    throw new UsageError(`There is no role "${role.slice(0, 60)}".`, {
      hint: [didYouMean(role, ROLES), roles].filter((part) => part !== undefined).join(' '),
    });
  }
  for (const word of toolsets ?? []) toolset(word);
  if (toolsets?.length === 0) {
    throw new UsageError('No toolset is named.', { hint: `Toolsets: ${TOOLSET_NAMES.join(', ')}.` });
  }
  if (profile !== undefined && !PROFILE_NAME.test(profile)) {
    throw new UsageError('A profile name has 1 to 100 printable characters.', {
      hint: 'Name a section of the settings file.',
    });
  }
  return {
    name,
    role: known,
    ...(toolsets === undefined ? {} : { toolsets: [...new Set(toolsets)] }),
    ...(profile === undefined ? {} : { profile }),
  };
}

function expiryOf({ expires }: NewToken, now: () => number): { expires?: string } {
  if (expires === undefined) return {};
  if (!(expires > now() && expires < MAX_TIME)) {
    throw new UsageError('The token must expire in the future, and before the year 10000.');
  }
  return { expires: new Date(expires).toISOString() };
}

/** The last moment with a year of four digits. */
const MAX_TIME = Date.UTC(10_000, 0, 1);

function unknownToken(name: string, entries: readonly TokenEntry[]): UsageError {
  const names = entries.map((entry) => entry.name);
  return new UsageError(`There is no token "${name.slice(0, 60)}".`, {
    hint: didYouMean(name, names) ?? 'List them with: aisec serve tokens',
  });
}
