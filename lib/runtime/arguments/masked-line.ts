/** Rewrites a command line with secrets and prompts masked. */

import type { SecretKind, SecretSource } from '../../core/ports.ts';
import { isOwn } from '../../core/text/own.ts';
import type { Arguments } from './builders.ts';
import { GENERIC_NAMES } from './generic.ts';
import type { Invocation } from './lexer.ts';
import { quotedValue } from './quoted-value.ts';

/** Properties of an argument that decide whether its value is masked. */
interface KnownArgument {
  readonly name: string;
  readonly secret: boolean;
  /** A prompt, response or other user content. */
  readonly content: boolean;
  /** The argument may be typed without its name. */
  readonly positional: boolean;
}

/** Replaces a masked value. */
export const MASKED = '***';

const BARE = /^[^\s"'`]\S*$/;
const BARE_WITHOUT_NAME = /^[^\s"'`=]+$/;
const SOURCE = /^@(?:env|file):[\w./~-]+$/;
const CONTENT_SOURCE = /^@file:[\w./~-]+$/;

/** What to mask: only secrets, in an entry of a room, or also prompts and other user content, in a history of lines. */
export type Hidden = 'secrets' | 'content';

/**
 * Writes an invocation, on one line unless only secrets are masked.
 * @param head the name of the command, as it was typed
 * @param known the command's arguments
 */
export function maskedLine(
  head: string,
  known: readonly KnownArgument[],
  { pairs, positionals }: Invocation,
  hidden: Hidden,
): string {
  const argumentOf = (name: string) => known.find((argument) => argument.name === name);
  const named = pairs.map(({ name, value }) => {
    const argument = argumentOf(name);
    // The name of an unknown argument may be a misplaced value.
    if (argument === undefined && !GENERIC_NAMES.includes(name)) return MASKED;
    return `${name}=${keptValue(argument, String(value), BARE, hidden)}`;
  });
  const positional = known.find((argument) => argument.positional);
  // Another bare word, or a bare word next to a masked value, may be part of an unquoted value.
  const isPart = pairs.some(({ name }) => name === positional?.name || isMasked(argumentOf(name), hidden));
  const unnamed = positionals.map((value, index) =>
    positional === undefined || isPart || index > 0 ? MASKED : keptValue(positional, value, BARE_WITHOUT_NAME, hidden),
  );
  return [head, ...named, ...unnamed].join(' ');
}

function keptValue(argument: KnownArgument | undefined, value: string, bare: RegExp, hidden: Hidden): string {
  if (argument?.secret === true && SOURCE.test(value)) return value;
  if (argument?.content === true && CONTENT_SOURCE.test(value)) return value;
  return isMasked(argument, hidden) ? MASKED : quoted(value, bare, hidden);
}

function isMasked(argument: KnownArgument | undefined, hidden: Hidden): boolean {
  return argument?.secret === true || (hidden === 'content' && argument?.content === true);
}

/** Quotes a value so that parsing it gives the same value; a history keeps no value that does not fit on one line. */
function quoted(value: string, bare: RegExp, hidden: Hidden): string {
  if (bare.test(value)) return value;
  const isOneLine = !/[\r\n\u2028\u2029]/.test(value);
  if (isOneLine && !value.includes('`')) return `\`${value}\``;
  if (value.includes('\\') || /[\u2028\u2029]/.test(value)) return hidden === 'secrets' ? quotedValue(value) : MASKED;
  return `"${value.replace(/"/g, '\\"').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}"`;
}

/**
 * Returns what may be shown of a line without a known command: a word of letters that begins like a command is a typing error; any
 * other word may be a secret.
 */
export function mistypedCommand(line: string): string | undefined {
  return /^!?aisec(?:-[a-z]{2,})+(?!\S)/.exec(line.trim())?.[0].replace(/^!?/, '!');
}

/** Returns the source that a secret argument's value names; undefined if the value is the secret itself. */
export function sourceOf(value: unknown): { readonly kind: SecretKind; readonly name: string } | undefined {
  const kind = /^@(env|file):/.exec(String(value))?.[1] as SecretKind | undefined;
  return kind === undefined ? undefined : { kind, name: String(value).slice(kind.length + 2) };
}

type Texts = (kind: SecretKind, name: string) => string | undefined;

/**
 * Reads the secrets of a line before its arguments are checked: a file may be a named pipe, whose text arrives later.
 * @returns sources that return the texts already read
 */
export async function withSecrets<Sources extends { readonly secretSource?: SecretSource | undefined }>(
  { args }: { readonly args: Arguments },
  { pairs, positionals }: Invocation,
  sources: Sources,
): Promise<Omit<Sources, 'secretSource'> & { readonly secretSource?: Texts }> {
  const { secretSource } = sources;
  // Most calls have no secrets, and copying the whole runtime takes time.
  if (secretSource === undefined) return sources as Omit<Sources, 'secretSource'>;
  const texts: Record<string, string | undefined> = {};
  const unnamed = Object.keys(args).filter((name) => args[name]?.positional === true)[0];
  for (const { name, value } of [...pairs, ...positionals.map((text) => ({ name: unnamed ?? '', value: text }))]) {
    const source = args[name]?.secret === true ? sourceOf(value) : undefined;
    if (source === undefined) continue;
    const key = `${source.kind}:${source.name}`;
    if (!isOwn(texts, key)) texts[key] = await secretSource(source.kind, source.name);
  }
  return { ...sources, secretSource: (kind, name) => texts[`${kind}:${name}`] };
}
