/** Reads the platform's own arguments, which every command takes without declaring them. */
import type { Problem } from '../../core/errors.ts';
import { asText } from '../../core/json.ts';
import { MAX_SECONDS } from '../../core/stop.ts';

export interface GenericArguments {
  readonly showRaw: boolean;
  readonly ignoreOutputs: boolean;
  /** `key=path::key2=path2`: further context paths, filled from the raw response. */
  readonly extend: readonly { path: string; from: string }[];
  readonly timeoutSeconds: number | undefined;
  readonly retries: number;
  readonly retrySeconds: number;
  /** Names of arguments that have no effect on this host. */
  readonly ignored: readonly string[];
}

/** Limits of `retry-count`, and of `retry-interval` in seconds: a caller must not keep a host busy for days. */
export const MAX_RETRIES = 10;
export const MAX_RETRY_SECONDS = 300;

const YES = /^(true|yes)$/i;
const NO = /^(false|no|)$/i;
/** Arguments that the platform handles before a command runs; other hosts ignore them. */
export const PLATFORM_ONLY: readonly string[] = ['using', 'using-brand', 'auto-extract', 'debug-mode'];
export const GENERIC_NAMES: readonly string[] = [
  'raw-response',
  'ignore-outputs',
  'extend-context',
  'execution-timeout',
  'retry-count',
  'retry-interval',
  ...PLATFORM_ONLY,
];

/** Reads the platform's arguments, and adds any problems with them to `problems`. */
export function readGeneric(input: Readonly<Record<string, unknown>>, problems: Problem[]): GenericArguments {
  const wholeNumber = (name: string, standard: number | undefined, largest: number) => {
    const text = asText(input[name] ?? '').trim();
    if (text === '') return standard;
    if (/^\d{1,7}$/.test(text) && Number(text) <= largest) return Number(text);
    const most = /^\d+$/.test(text) ? `, at most ${largest}` : '';
    problems.push({ argument: name, message: `${name} must be a whole number of seconds or times${most}.` });
    return standard;
  };
  const flag = (name: string) => {
    const text = asText(input[name] ?? '').trim();
    if (!YES.test(text) && !NO.test(text)) problems.push({ argument: name, message: `${name} must be true or false.` });
    return YES.test(text);
  };
  return {
    showRaw: flag('raw-response'),
    ignoreOutputs: flag('ignore-outputs'),
    extend: readExtend(asText(input['extend-context'] ?? ''), problems),
    timeoutSeconds: wholeNumber('execution-timeout', undefined, MAX_SECONDS),
    retries: wholeNumber('retry-count', 0, MAX_RETRIES) ?? 0,
    retrySeconds: wholeNumber('retry-interval', 30, MAX_RETRY_SECONDS) ?? 30,
    ignored: PLATFORM_ONLY.filter((name) => input[name] !== undefined),
  };
}

function readExtend(text: string, problems: Problem[]): { path: string; from: string }[] {
  const parts = text.split('::').filter((part) => part.trim() !== '');
  return parts.flatMap((part) => {
    const at = part.indexOf('=');
    const path = part.slice(0, at).trim();
    if (at > 0 && /^[A-Za-z_][\w.-]*$/.test(path)) return [{ path, from: part.slice(at + 1).trim() }];
    problems.push({ argument: 'extend-context', message: 'extend-context must read key=path, joined with "::".' });
    return [];
  });
}

/** Returns the names of the arguments that a caller may give instead of a required argument. */
export function alternativesOf({ unless }: { readonly unless?: string | readonly string[] }): readonly string[] {
  return unless === undefined ? [] : typeof unless === 'string' ? [unless] : unless;
}
