/** The token file of the load test: a tenant that makes the load, its neighbour, and a token whose rights change all the time. */
import { createHash } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const TOKEN = 'token-of-the-load-test';
export const NEIGHBOUR = 'token-of-the-neighbour';
export const NARROWED = 'token-that-is-narrowed';

const entryOf = (name, token, limits) => ({
  name,
  sha256: createHash('sha256').update(token).digest('hex'),
  created: '2026-01-01T00:00:00.000Z',
  ...limits,
});

/** Writes settings and tokens. @returns the paths, and `narrow`, which gives the third token another role */
export function writeTokens(folder) {
  const config = join(folder, 'settings.json');
  writeFileSync(config, JSON.stringify({ profiles: { neighbour: {} } }), { mode: 0o600 });
  const path = join(folder, 'tokens.json');
  const narrow = (role) => {
    const tokens = [
      entryOf('load', TOKEN, { role: 'admin' }),
      entryOf('neighbour', NEIGHBOUR, { role: 'admin', profile: 'neighbour' }),
      entryOf('narrowed', NARROWED, { role }),
    ];
    writeFileSync(`${path}.new`, JSON.stringify({ tokens }), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  };
  narrow('operate');
  return { config, path, narrow };
}
