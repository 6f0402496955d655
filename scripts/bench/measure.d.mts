/** Runs a command to its end, and fails when it fails. @returns milliseconds */
export function timeOf(words: readonly string[], environment?: Readonly<Record<string, string>>): number;
