/** Checks the options of a client by type: a time limit that is a text would never pass, or at once. */
import { checkTypes, type Group, type Leaf, NUMBER, OBJECT, oneOf, TEXT, TEXTS, TRUTH } from '../core/typed-options.ts';
import type { ClientOptions } from './types.ts';

const WRITER: Leaf = {
  words: 'a stream to write to',
  fits: (value) => typeof (value as { write?: unknown } | null)?.write === 'function',
};

const OPTIONS: Group & { readonly members: Readonly<Record<keyof ClientOptions, Leaf | Group>> } = {
  members: {
    settings: OBJECT,
    environment: OBJECT,
    configFile: TEXT,
    profile: TEXT,
    simulate: {
      members: {
        latencyMs: NUMBER,
        faults: TEXTS,
        quirks: TEXTS,
        seed: NUMBER,
        now: NUMBER,
      },
      or: [true, false],
    },
    allow: { members: { commands: TEXTS, effects: TEXTS, readOnly: TRUTH } },
    confined: TRUTH,
    hideSecrets: TRUTH,
    log: { members: { level: oneOf('trace', 'debug', 'info', 'warn'), stream: WRITER, content: TRUTH } },
    filesDirectory: TEXT,
    // Its range is that of each call.
    timeoutMs: { ...NUMBER, fits: (value) => typeof value === 'number' },
    queue: { members: { url: TEXT, key: TEXT } },
    resultLimit: NUMBER,
  },
};

/** @throws TypeError for an option of another type, or with an unknown name */
export function checkOptions(options: ClientOptions): void {
  checkTypes('the client', options, OPTIONS);
}
