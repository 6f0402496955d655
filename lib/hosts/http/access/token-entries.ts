/** Reads and checks the entries of a token file. */
import { ConfigurationError } from '../../../core/errors.ts';
import { isObject, type JsonObject } from '../../../core/json.ts';
import { ROLES, type Role } from '../../../manifest/roles.ts';
import { TOOLSET_NAMES } from '../../../manifest/toolsets.ts';

/** Who calls. */
export interface Caller {
  /** Name of the token. */
  readonly name: string;
  readonly role: Role;
  /** Limits the commands to these toolsets. Default: all. */
  readonly toolsets?: readonly string[];
  /** Section of the settings file, which selects the tenant. Default: that of the start. */
  readonly profile?: string;
}

/** A caller whose token is known. A new token with an old name inherits nothing from the old token. */
export interface KnownCaller extends Caller {
  /** When the token was made. */
  readonly since?: string;
}

/** A token as the file keeps it. */
export interface TokenEntry extends Caller {
  /** SHA-256 of the token's text, as 64 hexadecimal digits. */
  readonly sha256: string;
  /** ISO 8601. */
  readonly created: string;
  /** ISO 8601; the token is refused from then on. */
  readonly expires?: string;
}

/** Name of a token. */
export const TOKEN_NAME = /^[\w.-]{1,60}$/;
/** Name of a section of the settings file, as a token may name it. */
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
    throw invalid('must be a JSON object with the list "tokens" alone');
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

/** Returns the error of a token file that cannot be used. @param what is wrong, as the end of a sentence */
export function invalidTokens(path: string, what: string): ConfigurationError {
  return new ConfigurationError(`The token file ${path} ${what}.`, {
    hint: 'Restore it, or remove it and make new tokens with: aisec serve token NAME --role ROLE',
  });
}

/** Parses a JSON object; any other text has no members. */
function membersOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns what is wrong with an entry. */
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
