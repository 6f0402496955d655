/** Groups of commands that a host can offer or withhold as a whole. */
import { UsageError } from '../core/errors.ts';

/** Toolsets by name: patterns of commands. */
const TOOLSETS: Readonly<Record<string, (name: string) => boolean>> = {
  runtime: (name) => name.startsWith('aisec-runtime-') && !name.startsWith('aisec-runtime-dlp-'),
  dlp: (name) => name.startsWith('aisec-runtime-dlp-'),
  'red-team': (name) => name.startsWith('aisec-redteam-'),
  'model-security': (name) => name.startsWith('aisec-model-security-'),
  all: () => true,
};

export const TOOLSET_NAMES: readonly string[] = Object.keys(TOOLSETS);

export const TOOLSETS_HINT = `Toolsets: ${TOOLSET_NAMES.join(', ')}. List the commands with: aisec commands`;

/** Returns a function that reports whether a command belongs to a toolset. @throws UsageError for an unknown toolset */
export function toolset(word: string): (name: string) => boolean {
  const found = Object.hasOwn(TOOLSETS, word) ? TOOLSETS[word] : undefined;
  if (found === undefined) throw new UsageError(`There is no toolset "${word.slice(0, 60)}".`, { hint: TOOLSETS_HINT });
  return found;
}

/** Splits a comma-separated list; drops empty entries. */
export function commaWords(text: string | undefined): string[] {
  const words = (text ?? '').split(',').map((word) => word.trim());
  return words.filter((word) => word !== '');
}
