/** The platform's own arguments: every command takes them, none declares them. */
import type { Problem } from '../errors.ts';
import { asText } from '../json.ts';

export interface Generic {
  readonly showRaw: boolean;
  readonly ignoreOutputs: boolean;
  /** `key=path::key2=path2`: further context paths, taken out of the raw answer. */
  readonly extend: readonly { path: string; from: string }[];
  readonly timeoutSeconds: number | undefined;
  readonly retries: number;
  readonly retrySeconds: number;
  /** Names that were given and mean nothing here. */
  readonly without: readonly string[];
}

const YES = /^(true|yes)$/i;
const NO = /^(false|no|)$/i;
/** What the platform acts on before a command runs; elsewhere they have no effect. */
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

/** Reads the platform's own arguments. Problems are added to `problems`. */
export function readGeneric(given: Readonly<Record<string, unknown>>, problems: Problem[]): Generic {
  const count = (name: string, standard: number | undefined) => {
    const text = asText(given[name] ?? '').trim();
    if (text === '') return standard;
    if (/^\d{1,6}$/.test(text)) return Number(text);
    problems.push({ argument: name, message: `${name} must be a whole number of seconds or times.` });
    return standard;
  };
  const flag = (name: string) => {
    const text = asText(given[name] ?? '').trim();
    if (!YES.test(text) && !NO.test(text)) problems.push({ argument: name, message: `${name} must be true or false.` });
    return YES.test(text);
  };
  return {
    showRaw: flag('raw-response'),
    ignoreOutputs: flag('ignore-outputs'),
    extend: readExtend(asText(given['extend-context'] ?? ''), problems),
    timeoutSeconds: count('execution-timeout', undefined),
    retries: count('retry-count', 0) ?? 0,
    retrySeconds: count('retry-interval', 30) ?? 30,
    without: PLATFORM_ONLY.filter((name) => given[name] !== undefined),
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
