interface RunConfiguration {
  testPathPatterns: { patterns: readonly string[] };
  [option: string]: unknown;
}

interface RunResults {
  wasInterrupted?: boolean;
  testResults: readonly { testResults: readonly { title: string; status: string }[] }[];
}

export function requirementIds(): string[];

export function dueIds(): string[];

export default class ClaimsReporter {
  constructor(config: RunConfiguration, options?: { ids?: readonly string[]; write?: (text: string) => unknown });
  onRunComplete(contexts: unknown, results: RunResults): void;
  getLastError(): Error | undefined;
}
