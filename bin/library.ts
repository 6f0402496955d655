/** The package's main module: joins the library with the commands and the simulated service. */
import { readFileSync } from 'node:fs';
import type { AisecCommands } from '../catalogue/commands.ts';
import { registry } from '../commands/index.ts';
import { clientOf } from '../lib/client/client.ts';
import type { Client, ClientOptions, CommandEntry } from '../lib/client/index.ts';
import { queue } from './queue.ts';
import { simulated } from './simulated.ts';

export * from '../lib/client/index.ts';
export type { AisecCommands };

let entries: readonly CommandEntry[] | undefined;

function catalogue(): readonly CommandEntry[] {
  entries ??= JSON.parse(
    readFileSync(new URL('../catalogue/commands.json', import.meta.url), 'utf8'),
  ) as CommandEntry[];
  return entries;
}

/** A client for all commands. */
export type Aisec = Client<AisecCommands>;

/** Creates a client. Nothing is read, opened or sent before its first call. */
export function createAisec(options: ClientOptions = {}): Aisec {
  return clientOf<AisecCommands>({ registry, simulated, catalogue, queue }, options);
}
