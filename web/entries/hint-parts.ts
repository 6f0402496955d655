/** Finds the commands in a hint, so that they become buttons. */

const COMMAND =
  /!?\baisec-[a-z0-9-]*[a-z0-9](?: +[a-z_][a-z0-9_]*=(?:"[^"\n]*"|`[^`\n]*`|[^\s"`.,;]+(?:[.,;][^\s"`.,;]+)*))*/g;

export type HintPart = { readonly text: string } | { readonly line: string };

/** Splits a hint into text and the lines of its commands. */
export function hintParts(hint: string, isKnown: (command: string) => boolean): readonly HintPart[] {
  const parts: HintPart[] = [];
  let at = 0;
  for (const { 0: line, index } of hint.matchAll(COMMAND)) {
    const name = line.replace(/^!/, '').split(' ')[0] ?? '';
    if (!isKnown(name)) continue;
    if (index > at) parts.push({ text: hint.slice(at, index) });
    parts.push({ line: line.startsWith('!') ? line : `!${line}` });
    at = index + line.length;
  }
  if (at < hint.length) parts.push({ text: hint.slice(at) });
  return parts;
}
