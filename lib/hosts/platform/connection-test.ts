/** The button that tests an instance of the integration. */
import { errorText } from '../../output/entry.ts';
import { firstFailure, reachOf, runChecks } from '../checks.ts';
import { failureOf } from './failure.ts';
import type { PlatformGlobals } from './globals.ts';
import { type Now, platformRuntime } from './runtime.ts';

/**
 * Tests each plane with the instance's settings, and logs how far each was reached.
 * @returns `ok`, or what is wrong: the platform takes any other text for a failure. To a text that is thrown the engine
 * would add where in the script that was.
 */
export async function testConnection(globals: PlatformGlobals, now: Now): Promise<string> {
  try {
    // The platform keeps no integration context while an instance is tested.
    const runtime = platformRuntime(globals, false, now);
    const outcomes = await runChecks(runtime);
    const reach = reachOf(outcomes);
    runtime.log.info('connection test', { reach });
    const failure = firstFailure(outcomes);
    return failure === undefined ? 'ok' : `${errorText(failureOf(failure, globals))}\n${reach}`;
  } catch (thrown) {
    return errorText(failureOf(thrown, globals));
  }
}
