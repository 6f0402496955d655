export function keepSections(sections: readonly string[]): void;

export function withSections(document: string, sections: readonly string[]): string;
