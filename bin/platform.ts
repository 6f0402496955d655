/** The native bundle's entry: joins the registry and the platform host. */
import { registry } from '../commands/index.ts';
import type { PlatformGlobals } from '../lib/hosts/platform/globals.ts';
import { type PlatformAnswer, runOnPlatform } from '../lib/hosts/platform/main.ts';

/** Runs the command that the engine's globals ask for. */
export function run(globals: PlatformGlobals): Promise<PlatformAnswer> {
  return runOnPlatform(globals, registry);
}
