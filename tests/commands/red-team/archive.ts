/** The files of an archive whose entries are stored: name and text. Enough for a test, and for nothing else. */
export function entriesIn(bytes: Uint8Array): Record<string, string> {
  const view = Buffer.from(bytes);
  const entries: Record<string, string> = {};
  for (let at = 0; view.readUInt32LE(at) === LOCAL_FILE; ) {
    const [size, nameLength, extraLength] = [
      view.readUInt32LE(at + 18),
      view.readUInt16LE(at + 26),
      view.readUInt16LE(at + 28),
    ];
    const content = at + 30 + nameLength + extraLength;
    entries[view.toString('utf8', at + 30, at + 30 + nameLength)] = view.toString('utf8', content, content + size);
    at = content + size;
  }
  return entries;
}

const LOCAL_FILE = 0x04034b50;
