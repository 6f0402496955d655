/** Starts the service of json-service.mjs. */
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { startProgram } from '../start-program.mjs';

/** Runs work against the service. */
export async function withJsonService(work) {
  const { found, stop } = await startProgram([join(ROOT, 'scripts', 'bench', 'json-service.mjs')], {
    ready: { origin: /(http:\S+)\n/ },
  });
  const { origin } = found;
  /** Returns the number of connections since the last call. */
  const connections = async () => (await fetch(`${origin}/connections`, { headers: { connection: 'close' } })).json();
  try {
    return await work({ origin, connections });
  } finally {
    await stop();
  }
}
