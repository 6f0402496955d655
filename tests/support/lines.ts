/** One line for every command, and a simulated service on which each of them succeeds. */
import { createService } from '../../fixtures/service/service.ts';
import type { Service, ServiceOptions } from '../../fixtures/service/types.ts';
import type { Settings } from '../../lib/settings/parameters.ts';
import { modelSecurityLines } from './lines-model-security.ts';
import { PROMPTS, RED_TEAM_SECRETS, redTeamLines, SCAN_UNDER_WAY } from './lines-red-team.ts';
import { AUTH_CODE, KEYWORDS, runtimeLines } from './lines-runtime.ts';
import { type TestClock, testClock, type WarRoom, warRoom } from './simulated.ts';

/** Texts of the files that the lines name, by name. */
export const LINE_FILES: Readonly<Record<string, string>> = Object.fromEntries(
  [KEYWORDS, PROMPTS].map(({ name, text }) => [name, text]),
);

/** Secrets that the lines hold, and those that the service keeps and never shows. */
export const LINE_SECRETS: readonly string[] = [AUTH_CODE, ...RED_TEAM_SECRETS.given, ...RED_TEAM_SECRETS.stored];

/**
 * A simulated service in its first state, and a red-team scan under way that can be stopped: the seed has none.
 * Where faults are injected there is no scan, because its start would use them up.
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

/** @returns the id of the scan, which is the same for every service of the same seed */
function startScan(service: Service, clock: TestClock): string {
  const { AISEC_CLIENT_ID: client = '', AISEC_CLIENT_SECRET: secret = '' } = service.settings('');
  const form = `grant_type=client_credentials&client_id=${client}&client_secret=${secret}`;
  const post = (url: string, body: string, headers: Record<string, string>) =>
    JSON.parse(service.handle({ method: 'POST', url, headers, body }, clock).body);
  const { access_token } = post('/oauth2/access_token', form, { 'content-type': 'application/x-www-form-urlencoded' });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${access_token}` };
  return post('/ai-red-teaming/data-plane/v1/scan', JSON.stringify(SCAN_UNDER_WAY), headers).uuid;
}

const scanUnderWay = startScan(createService(), testClock());

/** The arguments of one line for every command: it succeeds on the service above in its first state. */
export const LINES: Readonly<Record<string, string>> = {
  ...runtimeLines,
  ...redTeamLines,
  'aisec-redteam-scan-abort': `job_id=${scanUnderWay}`,
  ...modelSecurityLines,
};

/** The same as table rows. */
export const LINE_ROWS = Object.entries(LINES).map(([name, rest]) => ({ name, line: `!${name} ${rest}`.trim() }));

/** A fault at every plane, but not at the token: without one nothing more would be seen. */
export function everywhere(fault: string): string[] {
  return ['/aisec', '/v1', '/v2', '/aims', '/ai-red-teaming'].map((at) => `${fault}@${at}`);
}
