export function scratchFolder(use: string): string;
