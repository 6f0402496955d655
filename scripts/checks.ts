/** Runs checks and prints a line for each. */

/** A failed check. */
export interface Problem {
  readonly found: string;
  /** How to fix it; thrown errors have none. */
  readonly remedy?: string;
}

export interface Check {
  readonly title: string;
  /** @returns a text if the check passes, else a problem; a thrown error counts as a problem */
  run(): string | Problem | Promise<string | Problem>;
}

/**
 * Runs checks one after the other.
 * @param print writes a line
 * @returns whether all of them passed
 */
export async function runChecks(checks: readonly Check[], print: (line: string) => void): Promise<boolean> {
  let passed = 0;
  for (const check of checks) {
    const outcome = await outcomeOf(check);
    if (typeof outcome === 'string') passed += 1;
    print(lineOf(check.title, outcome));
  }
  return passed === checks.length;
}

async function outcomeOf(check: Check): Promise<string | Problem> {
  try {
    return await check.run();
  } catch (error) {
    return { found: error instanceof Error ? error.message : String(error) };
  }
}

function lineOf(title: string, outcome: string | Problem): string {
  const [mark, text] = typeof outcome === 'string' ? ['✓', outcome] : ['✗', `${outcome.found} ${outcome.remedy ?? ''}`];
  return `${mark} ${title}: ${text.trim().replace(/\s*\n\s*/g, ' ')}`;
}

/** Shortens a list for a line: the first few, and the number of the others. */
export function listed(names: readonly string[], most = 5): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
