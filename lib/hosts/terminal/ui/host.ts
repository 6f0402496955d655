/** Dependencies of the terminal host: streams, environment, registry and the simulated service; no globals. */
import type { Readable, Writable } from 'node:stream';
import type { OpenQueue } from '../../../client/queue.ts';
import type { Simulate } from '../../../client/simulation.ts';
import type { Catalogue } from '../../../manifest/catalogue.ts';
import type { PlaybookText } from '../../../playbook/playbook.ts';
import type { Registry } from '../../../runtime/engine/command.ts';

export type TerminalInput = Readable & { isTTY?: boolean | undefined };
export type TerminalOutput = Writable & {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
};
export type Environment = Readonly<Record<string, string | undefined>>;

export interface TerminalHost {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly environment: Environment;
  readonly stdin: TerminalInput;
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly registry: Registry;
  /** Loads the catalogue on first use, for help and completion. */
  readonly catalogue: () => Promise<Catalogue>;
  /** Loads the playbooks that ship with the program. */
  readonly playbooks: () => Promise<readonly PlaybookText[]>;
  /** Reads an OpenAPI document that ships with the program, by its path at the service. */
  readonly openApi: () => Promise<string>;
  /** Reads the files of the war room in the browser, by name. */
  readonly page?: () => Promise<ReadonlyMap<string, { readonly text: string; readonly type: string }>>;
  readonly version: string;
  /** Starts this program again without waiting for it. If absent, completion is not refreshed. */
  readonly startDetached?: (argv: readonly string[]) => void;
  /** Injected, because `lib/` imports no fixtures. @throws Error for an unknown fault or quirk */
  readonly simulated: Simulate;
  /** Opens the queue for bulk work. */
  readonly queue?: OpenQueue;
  /** Called when a signal stops the work. */
  readonly onStop?: (signal: NodeJS.Signals) => void;
}

/** Reports whether a person can see a question and answer it. */
export function canAsk({ stdin, stdout, stderr }: TerminalHost): boolean {
  return stdin.isTTY === true && (stderr.isTTY === true || stdout.isTTY === true);
}
