export interface Audit {
  write(line: object): Promise<void>;
  close(): Promise<void>;
}
export async function openAudit(_path: string | undefined, _options: object): Promise<Audit> {
  return { write: async () => undefined, close: async () => undefined };
}
