/** The lines of all commands, and a war room in which each of them succeeds. */
import { LINE_FILES, linesAt, startScan } from '../../fixtures/lines/index.ts';
import { createService } from '../../fixtures/service/service.ts';
import type { Service, ServiceOptions } from '../../fixtures/service/types.ts';
import type { Settings } from '../../lib/core/parameters.ts';
import { type TestClock, testClock, type WarRoom, warRoom } from './simulated.ts';

export { LINE_FILES, LINE_SECRETS } from '../../fixtures/lines/index.ts';

/**
 * A simulated service in its initial state, with a running red-team scan that can be stopped, because the seed has
 * none. If faults are injected there is no scan, because starting it would use them up.
 */
export function lineService(options: ServiceOptions = {}, clock = testClock()): Service {
  const service = createService(options);
  if (options.faults === undefined) startScan(service, clock);
  return service;
}

/** A war room on such a service, with the files that the lines name. */
export function lineRoom(
  options: ServiceOptions = {},
  settings: Partial<Settings> = {},
  clock: TestClock = testClock(),
): WarRoom {
  const room = warRoom(options, settings, lineService(options, clock), clock);
  Object.assign(room.files, LINE_FILES);
  return room;
}

export const LINES = linesAt(testClock());

/** The same lines as table rows. */
export const LINE_ROWS = Object.entries(LINES).map(([name, rest]) => ({ name, line: `!${name} ${rest}`.trim() }));

/** A fault on every plane, but not for token requests: without a token no plane would be reached. */
export function everywhere(fault: string): string[] {
  return ['/aisec', '/v1', '/v2', '/aims', '/ai-red-teaming'].map((at) => `${fault}@${at}`);
}
