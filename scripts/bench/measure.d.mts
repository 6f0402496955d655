/** Runs a command to its end. @returns milliseconds @throws if it fails */
export function timeOf(argv: readonly string[], environment?: Readonly<Record<string, string>>): number;

export function withSection(document: string, section: string): string;
