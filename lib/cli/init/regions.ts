/** The regions that `aisec init` offers. */
import { SCANNER_URLS } from '../../core/wire.ts';

/** Lists the addresses of the regions, each with the number that chooses it. */
export function regionLines(addresses: readonly string[]): string[] {
  if (addresses.length === 0) return [];
  const regions = addresses.map((address, at) => `  ${at + 1}  ${regionOf(address).padEnd(4)}  ${address}`);
  return [
    'Regions of the scanner; the region of your deployment profile is right. Type a number or an address.',
    ...regions,
  ];
}

/** Returns the address that a number or the name of a region chooses, or the answer itself. */
export function chosen(answer: string, addresses: readonly string[]): string {
  const named = addresses.find((address) => regionOf(address).toLowerCase() === answer.toLowerCase());
  return named ?? (/^[1-9]\d?$/.test(answer) ? addresses[Number(answer) - 1] : undefined) ?? answer;
}

function regionOf(address: string): string {
  return Object.entries(SCANNER_URLS).find(([, url]) => url === address)?.[0] ?? '';
}
