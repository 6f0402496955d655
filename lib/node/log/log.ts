/**
 * The log of a host on Node: one line per event, without secrets, as JSON for programs and plain text on a terminal.
 * An event below the log level loads no module and computes nothing. The only importer of pino.
 */

import type { Logger } from 'pino';
import { present } from '../../core/json.ts';
import type { Log } from '../../core/ports.ts';
import { nameOf, UNSEEN } from '../../core/redaction/characters.ts';
import { type Redaction, redaction } from '../../core/redaction/redact.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogOptions {
  /** Default `warn`. */
  level?: LogLevel | undefined;
  /** Target of the lines: plain text on a terminal, JSON otherwise. */
  stream: { write(text: string): unknown; readonly isTTY?: boolean | undefined };
  /** Returns the current secrets; called for each line, because tokens change. */
  secrets: () => readonly string[];
  /** Write prompts and responses too. */
  showContent?: boolean | undefined;
}

export type HostLog = Log & {
  /** Resolves after all lines are written; await it before the process ends. */
  flush(): Promise<void>;
};

/** Creates the log. */
export function createLog({ level = 'warn', stream, secrets, showContent }: LogOptions): HostLog {
  const { write, flush } = stream.isTTY === true ? plainWriter(stream) : jsonWriter(stream);
  const redact = latestRedaction(secrets, showContent);
  const lowest = LOG_LEVELS.indexOf(level);
  const isWritten = (own: Level) => LOG_LEVELS.indexOf(own) >= lowest;
  const at =
    (own: Level) =>
    (message: string, fields: Fields = {}) => {
      if (!isWritten(own)) return;
      // Redact now instead of on writing: until then an object may change, and a secret may be forgotten.
      const { text, fields: masked } = redact();
      write(own, text(message), masked(fields));
    };
  const trace = at('trace');
  return {
    trace: (message, fields) => {
      if (isWritten('trace')) trace(message, fields());
    },
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    flush,
  };
}

/** Caches the redactor until the secrets change. */
function latestRedaction(secrets: LogOptions['secrets'], showContent: boolean | undefined): () => Redaction {
  let known: readonly string[] = [];
  let current = redaction({ secrets: known, showContent });
  return () => {
    const now = [...secrets()];
    if (now.length !== known.length || now.some((secret, at) => secret !== known[at])) {
      known = now;
      current = redaction({ secrets: known, showContent });
    }
    return current;
  };
}

export type Level = 'trace' | 'debug' | 'info' | 'warn';
export type Fields = Readonly<Record<string, unknown>>;

export interface LogStream {
  write(text: string): unknown;
}

export interface LogWriter {
  write(level: Level, message: string, fields: Fields): void;
  /** Resolves after all lines were passed to the stream. */
  flush(): Promise<void>;
}

/** Writes one JSON object per line. The first line loads pino; lines are queued until it is loaded. */
export function jsonWriter(stream: LogStream): LogWriter {
  const waiting: Parameters<LogWriter['write']>[] = [];
  let logger: Logger | undefined;
  let loading: Promise<void> | undefined;
  const load = async () => {
    const { pino, stdTimeFunctions } = await import('pino');
    logger = pino(
      {
        level: 'trace',
        base: null,
        messageKey: 'message',
        // Nested, so that no field can replace the level or the time.
        nestedKey: 'fields',
        timestamp: stdTimeFunctions.isoTime,
        formatters: { level: (level) => ({ level }) },
      },
      { write: (line) => void stream.write(line) },
    );
    for (const line of waiting.splice(0)) emit(logger, ...line);
  };
  return {
    write(...line) {
      if (logger !== undefined) return emit(logger, ...line);
      waiting.push(line);
      loading ??= load();
    },
    flush: async () => loading,
  };
}

function emit(logger: Logger, level: Level, message: string, fields: Fields): void {
  if (Object.keys(fields).length === 0) logger[level](message);
  else logger[level](fields, message);
}

/** Writes `warn: message  name=value ...`, synchronously. */
export function plainWriter(stream: LogStream): LogWriter {
  return {
    write(level, message, fields) {
      const pairs = Object.entries(present(fields));
      const rest = pairs.map(
        ([name, value]) => `  ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      );
      const line = `${level}: ${message}${rest.join('')}`;
      stream.write(`${line.replace(UNSEEN, nameOf)}\n`);
    },
    flush: async () => undefined,
  };
}
