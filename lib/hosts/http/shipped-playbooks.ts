/** Reads the playbooks that ship with the program once, in slices, because reading them all takes long. */
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Registry } from '../../engine/command.ts';
import type { Playbook, PlaybookText } from '../../playbook/playbook.ts';
import { readPlaybookText } from '../../playbook/read-playbook.ts';

export interface ShippedPlaybook extends PlaybookText {
  readonly playbook: Playbook;
}

/** Returns a function that reads the playbooks on its first call. */
export function shippedPlaybooks(
  texts: () => Promise<readonly PlaybookText[]>,
  registry: Registry,
): () => Promise<readonly ShippedPlaybook[]> {
  const read = async () => {
    const shipped: ShippedPlaybook[] = [];
    for (const { name, text } of await texts()) {
      shipped.push({ name, text, playbook: await readPlaybookText(text, name, registry) });
      await nextRound();
    }
    return shipped;
  };
  let reading: Promise<readonly ShippedPlaybook[]> | undefined;
  return () => {
    reading ??= read().catch((thrown: unknown) => {
      reading = undefined;
      throw thrown;
    });
    return reading;
  };
}
