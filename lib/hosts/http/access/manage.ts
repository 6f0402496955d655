export async function addToken(_f: string, _t: object): Promise<string> {
  return '';
}
export async function revokeToken(_f: string, _n: string): Promise<void> {
  return;
}
export async function listTokens(_f: string): Promise<readonly never[]> {
  return [];
}
