/** Adds, removes and lists tokens for the operator of the service. */

import { UsageError } from '../../../core/errors.ts';
import { commaWords } from '../../../manifest/toolsets.ts';
import type { SettingsFileRequest } from '../../../node/settings/location.ts';
import { tokensPath } from '../../../node/system/user-folder.ts';
import { didYouMean } from '../../../runtime/arguments/suggest.ts';
import { openTokenFile, type TokenEntry } from './tokens.ts';

/** The token file, and the settings file that holds the profiles. */
export interface TokensRequest extends Pick<SettingsFileRequest, 'environment' | 'signal'> {
  /** Path of the token file. Default: `tokens.json` next to the settings file. */
  readonly tokensFile?: string | undefined;
  /** Path of the settings file. Default: the user's. */
  readonly configFile?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A token to add, as typed. */
export interface AddTokenRequest extends TokensRequest {
  readonly name: string;
  readonly role: string;
  /** Separated by commas. Default: all. */
  readonly toolsets?: string | undefined;
  /** A section of the settings file. Default: the service's own section. */
  readonly profile?: string | undefined;
  /** Such as `90d`, `12h` or `30m`. Default: never. */
  readonly expiresIn?: string | undefined;
  /** Check the request and write nothing; the service does not accept the returned token. */
  readonly dryRun?: boolean;
}

/** A token as displayed: without its digest. */
export type ShownToken = ReturnType<typeof shown>;

/** Adds a token. @returns its text, which cannot be shown again, its entry, and the path of the file @throws UsageError for a wrong request; ConfigurationError for the files */
export async function addToken(request: AddTokenRequest) {
  const { name, role, toolsets, profile, expiresIn, dryRun, now } = request;
  const expires = expiresIn === undefined ? undefined : now() + durationOf(expiresIn);
  if (profile !== undefined) await requireProfile(profile, request);
  const file = fileOf(request);
  const wanted = { name, role, profile, expires, toolsets: toolsets === undefined ? undefined : commaWords(toolsets) };
  const { token, entry } = await file.add(wanted, dryRun);
  return { token, entry: shown(entry, now()), path: file.path };
}

/** Removes a token; the service starts to refuse it within a second. @throws UsageError for an unknown name */
export async function revokeToken(request: TokensRequest & Pick<AddTokenRequest, 'name' | 'dryRun'>) {
  return shown(await fileOf(request).revoke(request.name, request.dryRun), request.now());
}

/** Lists the tokens in the order of their creation. @throws ConfigurationError for the file */
export async function listTokens(request: TokensRequest): Promise<readonly ShownToken[]> {
  const now = request.now();
  return (await fileOf(request).list()).map((entry) => shown(entry, now));
}

function fileOf({ tokensFile, environment, now }: TokensRequest) {
  return openTokenFile(tokensFile ?? tokensPath(environment), now);
}

function shown({ sha256: _, ...entry }: TokenEntry, now: number) {
  return { ...entry, expired: entry.expires !== undefined && Date.parse(entry.expires) <= now };
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Returns a duration in milliseconds. */
function durationOf(text: string): number {
  const [, amount = '0', unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text.trim()) ?? [];
  const milliseconds = Number(amount) * (UNITS[unit] ?? 0);
  if (milliseconds > 0) return milliseconds;
  throw new UsageError(`"${text.slice(0, 60)}" is not a valid token lifetime.`, {
    hint: 'Write minutes, hours, days or weeks, such as 30m, 12h, 90d or 4w.',
  });
}

async function requireProfile(profile: string, { configFile, environment, signal }: TokensRequest): Promise<void> {
  const { readSections } = await import('../../../node/settings/file.ts');
  const found = await readSections({ path: configFile, environment, signal });
  const names = found?.sections.map(({ name }) => name) ?? [];
  if (names.includes(profile)) return;
  const all = names.length === 0 ? 'The settings file has no profiles.' : `Profiles: ${names.join(', ')}.`;
  throw new UsageError(`There is no profile "${profile.slice(0, 60)}".`, {
    hint: [didYouMean(profile, names), all].filter((part) => part !== undefined).join(' '),
  });
}
