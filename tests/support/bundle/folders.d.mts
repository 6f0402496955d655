export function folderFor(all: string, key: string, write: (folder: string) => Promise<unknown>): Promise<string>;
