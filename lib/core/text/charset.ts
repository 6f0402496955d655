/** Returns true if a content type names UTF-8 or no charset. */
export function claimsUtf8(type: string): boolean {
  const named = type.match(/charset\s*=\s*["']?[^"';\s]*/giu) ?? [];
  return named.every((each) => /=\s*["']?utf-?8$/iu.test(each));
}
