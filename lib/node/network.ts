/** Groups IP addresses by the network that one customer has. */
import { isIPv6 } from 'node:net';

const GROUPS = 8;

/** Returns the first half of an IPv6 address, because one customer has all of the second; other addresses as they are. */
export function networkOf(remote: string): string {
  const [address = ''] = remote.split('%');
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.toLowerCase().split('::');
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ];
  const zeros = tail === undefined ? 0 : GROUPS - before.length - after.length;
  return [...before, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...after]
    .slice(0, GROUPS / 2)
    .map((group) => group.padStart(4, '0'))
    .join(':');
}
