export function libraryModules(): Promise<{
  readonly files: readonly (readonly [name: string, text: string])[];
  readonly inputs: readonly string[];
}>;
export function writeTypes(): void;
