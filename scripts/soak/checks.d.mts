export interface Sample {
  readonly seconds: number;
  readonly megabytes: number;
  readonly files: number;
}

export function failedChecks(found: { samples: readonly Sample[]; problems: readonly string[] }): string[];
export function trendOf(samples: readonly Sample[]): { median: number; growth: number };
