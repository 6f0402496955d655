import { UsageError } from '../../core/errors.ts';

/** Creates the error of a line that a subcommand does not take. @param usage without the program's name */
export function usageError(message: string, usage: string): UsageError {
  return new UsageError(message, { hint: `Usage: aisec ${usage}` });
}
