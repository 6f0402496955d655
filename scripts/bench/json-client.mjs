/** Starts the service of json-service.mjs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { cleanEnvironment } from './measure.mjs';

/**
 * Runs work against the service.
 * @param latency delay before each response, in milliseconds
 */
export async function withJsonService(latency, work) {
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'bench', 'json-service.mjs'), String(latency)], {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(child.stdout, 'data');
    const { origin, http2 } = JSON.parse(String(line));
    const settings = {
      AISEC_BASE_URL: origin,
      AISEC_TOKEN_URL: `${origin}/token`,
      AISEC_CLIENT_ID: 'bench',
      AISEC_CLIENT_SECRET: 'bench',
      AISEC_TSG_ID: '1',
    };
    /** Returns the service's counts since the last call. */
    const seen = async () => (await fetch(`${origin}/seen`, { headers: { connection: 'close' } })).json();
    return await work({ origin, http2, settings, seen });
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}
