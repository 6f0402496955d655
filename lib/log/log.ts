/** The log of a host on Node: one line per event, without secrets. Below the level nothing is loaded or computed. */
import type { Log } from '../core/ports.ts';
import { type Redaction, redaction } from '../redaction/redact.ts';
import { type Fields, jsonWriter, type Level, plainWriter } from './writers.ts';

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
      // Redacted now, not on writing: until then an object may change, and a secret may be dropped.
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

/** Caches the redaction until the secrets change. */
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
