/** Globals that the platform's engine provides to a script. */
import type { PlatformHttp } from '../../runtime/transport/platform.ts';

export interface PlatformGlobals {
  /** The instance's settings by parameter name; credentials are objects. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The command's arguments, mostly strings; a playbook may pass lists and objects. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly command: string;
  readonly http: PlatformHttp;
  readonly log?: ((text: string) => void) | undefined;
  readonly logDebug?: ((text: string) => void) | undefined;
  /** Blocks for a number of whole seconds. */
  readonly wait?: ((seconds: number) => void) | undefined;
  readonly getIntegrationContext?: (() => unknown) | undefined;
  /** Returns the text of an uploaded file. */
  readonly getFileByEntryID?: ((entry: string) => unknown) | undefined;
  /** Saves text as a file. @returns its id */
  readonly saveFile?: ((text: string) => unknown) | undefined;
  /** State of the incident fetch. */
  readonly getLastRun?: (() => unknown) | undefined;
  readonly setLastRun?: ((state: Readonly<Record<string, string>>) => void) | undefined;
  readonly setIntegrationContext?: ((context: Readonly<Record<string, string>>) => void) | undefined;
}

/** Copies a host value through JSON: the engine passes host objects, which must not be changed. */
export function ownCopy(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value)) : value;
}

/** Returns the members of a host object; empty for other values. */
export function members(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return {};
  // Members are copied one by one, so that large texts do not pass through JSON.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, ownCopy(member)]));
}

/** Calls the platform. @returns undefined if it throws */
export function attempt<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
