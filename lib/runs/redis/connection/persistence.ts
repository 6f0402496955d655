/** Checks what Redis keeps: without an append-only file a kill loses begun runs, and eviction may remove any key. */
import type { Redis } from 'ioredis';
import { ConfigurationError } from '../../../core/errors.ts';
import type { RedisLink } from './redis.ts';
import { within } from './within.ts';

const READ_MS = 2000;
const HINT = 'Start it with: redis-server --appendonly yes --maxmemory-policy noeviction';

/** Returns the value of a setting; undefined if Redis does not report it. */
async function settingOf(client: Redis, name: string): Promise<string | undefined> {
  const [, value] = await client.config('GET', name);
  return value;
}

/** Reads which data Redis would lose. @returns one sentence for each loss */
async function losses({ client, name }: RedisLink): Promise<readonly string[]> {
  const [appends, policy] = await within(READ_MS, () =>
    Promise.all([settingOf(client, 'appendonly'), settingOf(client, 'maxmemory-policy')]),
  ).catch(() => []);
  if (appends === undefined || policy === undefined) {
    return [`Redis at ${name} does not report its persistence (CONFIG GET): check appendonly and maxmemory-policy.`];
  }
  const found: string[] = [];
  if (appends !== 'yes') {
    found.push(`Redis at ${name} has no append-only file: after a kill it forgets runs, and may repeat a change.`);
  }
  if (policy !== 'noeviction') {
    found.push(`Redis at ${name} removes keys when its memory is full (${policy.slice(0, 40)}): runs may be lost.`);
  }
  return found;
}

/** Warns of losses. @param isStrict refuses such a Redis @throws ConfigurationError */
export async function checkPersistence(
  link: RedisLink,
  isStrict: boolean,
  warn: (message: string) => void,
): Promise<void> {
  const found = await losses(link);
  if (isStrict && found.length > 0) throw new ConfigurationError(found.join(' '), { hint: HINT });
  for (const loss of found) warn(`${loss} ${HINT}`);
}
