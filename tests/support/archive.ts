import { crc32, inflateRawSync } from 'node:zlib';

/** Unpacks a ZIP archive by its central directory, and checks its checksums. @returns texts of files, by name */
export function unzipped(archive: Uint8Array): Map<string, string> {
  const bytes = Buffer.from(archive);
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  expect(bytes.readUInt32LE(end + 12) + bytes.readUInt32LE(end + 16)).toBe(end);
  const files = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count -= 1) {
    expect(bytes.readUInt32LE(at)).toBe(0x02014b50);
    const nameLength = bytes.readUInt16LE(at + 28);
    const size = bytes.readUInt32LE(at + 20);
    const local = bytes.readUInt32LE(at + 42);
    const name = bytes.subarray(at + 46, at + 46 + nameLength);
    expect(bytes.readUInt32LE(local)).toBe(0x04034b50);
    expect(bytes.subarray(local + 4, local + 30)).toEqual(bytes.subarray(at + 6, at + 32));
    const stored = bytes.subarray(local + 30 + nameLength, local + 30 + nameLength + size);
    const content = bytes.readUInt16LE(at + 10) === 8 ? inflateRawSync(stored) : stored;
    expect(crc32(content)).toBe(bytes.readUInt32LE(at + 16));
    files.set(name.toString('utf8'), content.toString('utf8'));
    at += 46 + nameLength;
  }
  expect(at).toBe(end);
  return files;
}
