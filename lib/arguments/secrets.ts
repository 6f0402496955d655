/** Reads the secrets that arguments name, as in `key=@env:NAME` and `key=@file:PATH`. */
import type { SecretKind, SecretSource } from '../core/ports.ts';
import { isOwn } from '../text/own.ts';
import type { Arguments } from './builders.ts';
import type { Invocation } from './lexer.ts';

/** Returns the source that the value of a secret argument names; undefined if the value is the secret itself. */
export function sourceOf(value: unknown): { readonly kind: SecretKind; readonly name: string } | undefined {
  const kind = /^@(env|file):/.exec(String(value))?.[1] as SecretKind | undefined;
  return kind === undefined ? undefined : { kind, name: String(value).slice(kind.length + 2) };
}

type Texts = (kind: SecretKind, name: string) => string | undefined;

/**
 * Reads the secrets of a line before its arguments are checked: a file may be a named pipe, whose text comes later.
 * @returns sources that have the texts
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
