/** Lists the texts of a JSON value, and replaces them, without recursion. */

/** Every text and every other scalar in a value, as text, without undefined values. */
export function leavesOf(value: unknown): Set<string> {
  const found = new Set<string>();
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (next === undefined || next === null) continue;
    if (typeof next !== 'object') found.add(String(next));
    else for (const member of Object.values(next)) left.push(member);
  }
  return found;
}

/** The value of a JSON text; undefined for any other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
