/** Returns true for a content type that names no charset but UTF-8. */
export function claimsUtf8(type: string): boolean {
  const named = type.match(/charset\s*=\s*["']?[^"';\s]*/giu) ?? [];
  return named.every((each) => /=\s*["']?utf-?8$/iu.test(each));
}
