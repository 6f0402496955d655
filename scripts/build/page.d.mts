/** Types of `page.mjs`, for tests. */
export function pageFiles(): Promise<{
  /** Texts by path in `dist/`. */
  files: [name: string, text: string][];
  inputs: string[];
}>;
