/** `aisec gate --dry-run`: the scan that would be started, and the files that would be written. */
import { ServiceError } from '../../core/errors.ts';
import { isForPrograms } from '../../hosts/terminal/options/options.ts';
import { measureFor } from '../../hosts/terminal/render/measure.ts';
import { renderResult } from '../../hosts/terminal/render/results.ts';
import type { Screen } from '../../hosts/terminal/render/screen.ts';
import type { Result } from '../../output/result.ts';
import { gateFiles } from './files.ts';
import type { GateContext, GateOptions } from './gate.ts';

/**
 * Shows the request that would start the scan.
 * @throws ServiceError always: a gate without a result must not end with 0
 */
export async function showPlanned(
  planned: Result,
  { options, screen, signal }: GateContext,
  simulated: boolean,
): Promise<never> {
  const { width, style, terminal } = screen;
  // As for a verdict: the output is for people unless a format was asked for.
  const format = options.format !== undefined && isForPrograms(options.format) ? 'json' : 'table';
  const page = { width, style, terminal, signal, measure: await measureFor(planned.readable) };
  screen.result(await renderResult(planned, format, page));
  if (simulated) screen.note('note: answered by the simulated service, not by a tenant.');
  throw new ServiceError('The scan was not started, because this is a dry run: there is no verdict.', {
    hint: 'This is not a pass. Leave out --dry-run to start the scan.',
  });
}

/** Names the files that a dry run does not write. @returns the files that were written: none */
export function noteUnwritten(options: GateOptions, screen: Pick<Screen, 'note'>): string[] {
  const files = gateFiles(options);
  if (files.length > 0 && !options.quiet)
    screen.note(`note: a dry run; these files would be written: ${files.join(', ')}.`);
  return [];
}
