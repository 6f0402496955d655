/** Returns a short hash of texts, not for security: FNV-1a, twice, as 16 hexadecimal digits. */
export function fingerprint(parts: readonly string[]): string {
  const text = JSON.stringify(parts);
  return [0x811c9dc5, 0x1000193].map((seed) => fnv(text, seed)).join('');
}

// Looked up once: in a sandbox, a global lookup for every character takes longer than the hash itself.
const { imul } = Math;

function fnv(text: string, seed: number): string {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = imul(hash ^ text.charCodeAt(at), 0x1000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
