export function openTokenFile(path: string) {
  return { path };
}
