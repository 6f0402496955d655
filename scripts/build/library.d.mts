export function libraryModules(): Promise<readonly (readonly [name: string, text: string])[]>;
export function writeTypes(): void;
