/** Writes log lines: JSON for programs, plain text on a terminal. The only importer of pino. */
import type { Logger } from 'pino';
import { present } from '../core/json.ts';
import { nameOf, UNSEEN } from '../redaction/characters.ts';

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
