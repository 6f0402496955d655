/** The button that tests an instance of the integration. */
import { errorText } from '../../output/entry.ts';
import { firstFailure, runChecks } from '../checks.ts';
import { failureOf } from './failure.ts';
import type { PlatformGlobals } from './globals.ts';
import { type Now, platformRuntime } from './runtime.ts';

/**
 * Tests each plane with the instance's settings.
 * @returns the platform's word for a passed test
 * @throws string that says what is wrong: to an Error the engine would add where in the script it was thrown
 */
export async function testConnection(globals: PlatformGlobals, now: Now): Promise<'ok'> {
  const failure = await outcomeOf(globals, now);
  if (failure !== undefined) throw errorText(failure);
  return 'ok';
}

async function outcomeOf(globals: PlatformGlobals, now: Now) {
  try {
    // The platform keeps no integration context while an instance is tested.
    return firstFailure(await runChecks(platformRuntime(globals, false, now)));
  } catch (thrown) {
    return failureOf(thrown, globals);
  }
}
