/**
 * Tests the connection with one check for each plane, for the terminal's `doctor` and the platform's `test-module`. The
 * checks change, scan and bill nothing.
 */

import { type AisecError, AuthError, CancelledError, NotFoundError, toAisecError } from '../../core/errors.ts';
import { type SettingName, type Settings, settingText } from '../../core/parameters.ts';
import type { Clock } from '../../core/ports.ts';
import type { Runtime } from '../../core/runtime.ts';
import { PLANES } from '../../core/wire.ts';
import { TokenSource } from '../api/auth.ts';
import { type Call, dlp, management, modelManagement, redTeamManagement, scanner } from '../api/call.ts';
import { Api } from '../api/client.ts';
import { Exchange } from '../api/exchange.ts';
import { path, tenant } from '../api/path.ts';

export interface Check {
  readonly plane: string;
  readonly title: string;
  /** A failure fails the whole test. If an optional check is refused, the client has no access to that plane. */
  readonly required: boolean;
  /** Skipped if none of these settings is set. */
  readonly optionalWithout?: readonly SettingName[];
  /** Skipped only if this setting is set: an instance without any settings fails the test. */
  readonly ifSet?: SettingName;
  /** Skipped if the check of this plane failed. */
  readonly after?: string;
  /** The permission to ask for if the plane is not available. */
  readonly ask?: string;
  /** Runs the check. @returns whether the simulated service responded @throws AisecError */
  readonly run: (runtime: Runtime) => Promise<boolean>;
}

export type CheckState = 'passed' | 'failed' | 'not available' | 'not configured' | 'not tested';

export interface CheckOutcome {
  readonly check: Check;
  readonly state: CheckState;
  readonly detail: string;
  readonly simulated: boolean;
  /** Why the check failed, or why the plane is not available. */
  readonly error?: AisecError;
}

const TOKEN = 'token';

export const CHECKS: readonly Check[] = [
  {
    plane: TOKEN,
    title: 'Access token',
    required: true,
    // A scan-only client has none of these settings.
    optionalWithout: ['url', 'client_id', 'client_secret', 'tsg_id'],
    ifSet: 'runtime_api_key',
    run: async (runtime) => {
      await new TokenSource(runtime, new Exchange(runtime)).get();
      return false;
    },
  },
  {
    plane: 'management',
    title: PLANES.management.title,
    required: true,
    after: TOKEN,
    run: sent(management.get(path`/v1/mgmt/profiles/tsg/${tenant}`, { limit: 1, offset: 0 })),
  },
  {
    plane: 'scanner',
    title: PLANES.scanner.title,
    required: true,
    optionalWithout: ['runtime_api_key'],
    run: async (runtime) => {
      const api = new Api(runtime);
      const unknownScan = { scan_ids: randomUuid(runtime.clock) };
      await api.fetch(scanner.get(path`/v1/scan/results`, unknownScan)).catch(ignoreRefusal);
      return api.simulated();
    },
  },
  ...[
    { ask: 'a role for data loss prevention', call: dlp.get(path`/v2/api/data-profiles`, { page: 0, size: 1 }) },
    { ask: 'a red-team licence', call: redTeamManagement.get(path`/v1/target`, { limit: 1, skip: 0 }) },
    { ask: 'a model security licence', call: modelManagement.get(path`/v1/security-groups`, { limit: 1, skip: 0 }) },
  ].map(({ ask, call }) => ({
    plane: call.plane,
    title: PLANES[call.plane].title,
    required: false,
    after: TOKEN,
    ask,
    run: sent(call),
  })),
];

function sent(call: Call): Check['run'] {
  return async (runtime) => {
    const api = new Api(runtime);
    await api.fetch(call);
    return api.simulated();
  };
}

/** Runs the checks in order. @throws CancelledError after a stop */
export async function runChecks(runtime: Runtime): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  for (const check of CHECKS) outcomes.push(await runCheck(check, runtime, outcomes));
  return outcomes;
}

/** Summarizes the outcomes: the planes reached, and every other plane with its state. */
export function summaryOf(outcomes: readonly CheckOutcome[]): string {
  const named = (list: readonly string[]) => (list.length === 0 ? 'none' : list.join(', '));
  const passed = outcomes.filter(({ state }) => state === 'passed').map(({ check }) => check.title);
  const others = outcomes
    .filter(({ state }) => state !== 'passed')
    .map(({ check, state }) => `${check.title} (${state})`);
  return `Reached: ${named(passed)}. Not reached: ${named(others)}.`;
}

/** Returns the error of the first failed required check. */
export function firstFailure(outcomes: readonly CheckOutcome[]): AisecError | undefined {
  return outcomes.filter(({ check, state }) => check.required && state === 'failed')[0]?.error;
}

async function runCheck(check: Check, runtime: Runtime, before: readonly CheckOutcome[]): Promise<CheckOutcome> {
  const outcome = (state: CheckState, detail: string, more: Partial<CheckOutcome> = {}) =>
    ({ check, state, detail, simulated: false, ...more }) satisfies CheckOutcome;
  const { optionalWithout = [] } = check;
  if (isSkipped(check, runtime.settings))
    return outcome(
      'not configured',
      `Set ${optionalWithout.map(runtime.advice.settingName ?? settingText).join(', ')}.`,
    );
  const missing = before.filter(({ check: { plane }, state }) => plane === check.after && state !== 'passed')[0];
  if (missing !== undefined) return outcome('not tested', `${missing.check.title}: ${missing.state}.`);
  try {
    return outcome('passed', '', { simulated: await check.run(runtime) });
  } catch (thrown) {
    if (thrown instanceof CancelledError) throw thrown;
    const error = toAisecError(thrown);
    const refused = error instanceof AuthError || error instanceof NotFoundError;
    if (!refused || check.required) return outcome('failed', error.message, { error });
    // Omit the error: its hint is about a missing record, but the check only tests access.
    return outcome('not available', `Not available to this client: ask the tenant for ${check.ask ?? 'access'}.`);
  }
}

function isSkipped({ optionalWithout = [], ifSet }: Check, settings: Settings): boolean {
  const isSet = (name: SettingName) => (settings[name] ?? '') !== '';
  return optionalWithout.length > 0 && !optionalWithout.some(isSet) && (ifSet === undefined || isSet(ifSet));
}

// Any response about an unknown id, including an empty list, shows that the scanner accepts the key.
function ignoreRefusal(thrown: unknown): void {
  const error = toAisecError(thrown);
  if (error.status === undefined || error instanceof AuthError) throw error;
}

function randomUuid(clock: Clock): string {
  const pattern = 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx';
  return pattern.replace(/x/g, () => Math.floor(clock.random() * 16).toString(16));
}
