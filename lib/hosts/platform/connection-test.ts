/** The test button of an integration instance. */

import { firstFailure, runChecks, summaryOf } from '../../engine/checks.ts';
import type { Registry } from '../../engine/command.ts';
import { errorText } from '../../output/entry.ts';
import { failureOf } from './failure.ts';
import type { PlatformGlobals } from './globals.ts';
import { checkFetch } from './incidents/fetch.ts';
import { type Now, platformRuntime } from './runtime.ts';

/**
 * Tests each plane with the instance's settings, and logs the outcomes.
 * @returns `ok`, or a failure message: the platform treats any other text as a failure. Errors are returned, because
 * the engine would append a script position to a thrown text.
 */
export async function testConnection(globals: PlatformGlobals, registry: Registry, now: Now): Promise<string> {
  try {
    // The platform keeps no integration context while an instance is tested.
    const runtime = platformRuntime(globals, false, now);
    const outcomes = await runChecks(runtime);
    const reach = summaryOf(outcomes);
    runtime.log.info('connection test', { reach });
    const failure = firstFailure(outcomes);
    if (failure === undefined && isSet(globals.params['isFetch'])) await checkFetch(globals, registry, runtime);
    return failure === undefined ? 'ok' : `${errorText(failureOf(failure, globals))}\n${reach}`;
  } catch (thrown) {
    return errorText(failureOf(thrown, globals));
  }
}

function isSet(value: unknown): boolean {
  return value === true || value === 'true';
}
