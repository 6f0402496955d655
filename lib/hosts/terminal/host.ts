/** What the terminal host is handed: streams, environment, registry and the simulated service. Nothing here is global. */
import type { Readable, Writable } from 'node:stream';
import type { Registry } from '../../command.ts';
import type { Simulate } from '../../library/simulation.ts';
import type { Catalogue } from '../../manifest/catalogue.ts';

export type TerminalInput = Readable & { isTTY?: boolean | undefined };
export type TerminalOutput = Writable & { isTTY?: boolean | undefined; columns?: number | undefined };
export type Environment = Readonly<Record<string, string | undefined>>;

export interface TerminalHost {
  /** What was typed after the program's name. */
  readonly argv: readonly string[];
  readonly environment: Environment;
  readonly stdin: TerminalInput;
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly registry: Registry;
  /** Loaded when help or completion needs it. */
  readonly catalogue: () => Promise<Catalogue>;
  readonly version: string;
  /** Handed in, because the library knows no fixtures. @throws Error when a fault or a quirk is not understood */
  readonly simulated: Simulate;
}
