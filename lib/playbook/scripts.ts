/**
 * Platform actions that a rehearsal knows: scripts of the pack CommonScripts, and the command that mail integrations
 * share. Public sources: demisto/content, Packs/CommonScripts/Scripts.
 */
import { PreconditionError, UsageError } from '../core/errors.ts';
import type { ContextWrite, Result } from '../runtime/output/result.ts';

type Arguments = Readonly<Record<string, unknown>>;

interface Script {
  readonly args: readonly string[];
  readonly required: readonly string[];
  /** @param now milliseconds since 1970 */
  readonly run: (args: Arguments, now: number) => Outcome;
}

interface Outcome {
  readonly writes?: readonly ContextWrite[];
  /** Text for the war room. */
  readonly note: string;
}

const DAY_MS = 86_400_000;

export const SCRIPTS = {
  Set: {
    args: ['key', 'value', 'append', 'stringify'],
    required: ['key', 'value'],
    run: ({ key, value, append, stringify }) => {
      const path = String(key);
      const kept = isTyped(stringify, 'true') ? textOf(value) : parsed(value);
      return {
        note: `Key ${path} set`,
        writes: [isTyped(append, 'true') ? { path, value: kept } : { path, key: [], value: kept }],
      };
    },
  },
  PrintErrorEntry: {
    args: ['message'],
    required: ['message'],
    run: ({ message }) => {
      throw new PreconditionError(textOf(message));
    },
  },
  DeleteContext: {
    args: ['key', 'all', 'subplaybook'],
    required: [],
    run: ({ key, all }) => {
      // Deleting everything is only noted, because a rehearsal begins with an empty context.
      if (isTyped(all, 'yes')) return { note: 'Context cleared' };
      const paths = textOf(key ?? '')
        .split(',')
        .map((path) => path.trim())
        .filter((path) => path !== '');
      if (paths.length === 0) throw new UsageError('DeleteContext needs a value for key, or all=yes.');
      return {
        note: `Deleted ${paths.join(', ')}`,
        writes: paths.map((path) => ({ path, key: [], value: undefined })),
      };
    },
  },
  Print: { args: ['value'], required: ['value'], run: ({ value }) => ({ note: textOf(value) }) },
  GetTime: {
    args: ['daysAgo', 'dateFormat', 'contextKey'],
    required: [],
    run: ({ daysAgo = 0, dateFormat = 'ISO', contextKey = '' }, now) => {
      if (String(dateFormat).toLowerCase() !== 'iso') {
        throw new UsageError(
          `GetTime can be rehearsed with dateFormat ISO, not with "${String(dateFormat).slice(0, 60)}".`,
        );
      }
      const days = Number(daysAgo);
      if (Number.isNaN(days))
        throw new UsageError(`daysAgo has to be a number, not "${String(daysAgo).slice(0, 60)}".`);
      const time = new Date(now - days * DAY_MS);
      const prefix = String(contextKey);
      const writes = [
        { path: `${prefix}TimeNowUnix`, value: time.getTime() },
        { path: `${prefix}TimeNow`, value: time.toISOString() },
      ];
      return { note: time.toISOString(), writes };
    },
  },
  // A rehearsal has no mail server, and an unexpected e-mail would do harm.
  'send-mail': {
    args: ['to', 'cc', 'bcc', 'subject', 'body', 'htmlBody'],
    required: ['to', 'subject', 'body'],
    run: ({ to, subject }) => ({ note: `A mail to ${textOf(to)} would be sent: ${textOf(subject)}` }),
  },
} satisfies Record<string, Script>;

export type ScriptName = keyof typeof SCRIPTS;

/** Runs a script. @throws UsageError for missing or unsupported arguments */
export function runScript(name: ScriptName, args: Arguments, now: number): Result {
  const { required, run }: Script = SCRIPTS[name];
  const missing = required.filter((key) => args[key] === undefined || args[key] === '');
  if (missing.length > 0) throw new UsageError(`${name} needs a value for ${missing.join(' and ')}.`);
  const { note, writes = [] } = run(args, now);
  return {
    command: name,
    writes,
    readable: { title: name, tables: [], notes: [note], simulated: false },
    raw: note,
    showRaw: false,
    simulated: false,
    warnings: [],
    planned: false,
    files: [],
  };
}

function isTyped(value: unknown, text: string): boolean {
  return String(value) === text;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parses a text that is JSON, as the script does. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
