/** What the platform's engine gives a script: the one interface through which this host sees it. */
import type { PlatformHttp } from '../../transport/platform.ts';

export interface PlatformGlobals {
  /** The instance's settings by parameter name; credentials are objects. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The command's arguments, mostly texts; a playbook may hand over lists and objects. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly command: string;
  readonly http: PlatformHttp;
  readonly log?: ((text: string) => void) | undefined;
  readonly logDebug?: ((text: string) => void) | undefined;
  /** Blocks for whole seconds. */
  readonly wait?: ((seconds: number) => void) | undefined;
  readonly getIntegrationContext?: (() => unknown) | undefined;
  /** The text of an uploaded file. */
  readonly getFileByEntryID?: ((entry: string) => unknown) | undefined;
  /** Keeps a text as a file. @returns its id */
  readonly saveFile?: ((text: string) => unknown) | undefined;
  readonly setIntegrationContext?: ((context: Readonly<Record<string, string>>) => void) | undefined;
}

/**
 * A value of the host as one of our own: what the engine hands in are its own objects, which are not to be changed.
 * They can always be written as JSON.
 */
export function ownCopy(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value)) : value;
}

/** The members of a host object; none of anything else. */
export function members(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return {};
  // Each by itself: a text of megabytes is not taken through JSON.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, ownCopy(member)]));
}

/** What the platform answers; undefined when it refuses. */
export function attempt<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
