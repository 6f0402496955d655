/** The tenants that the queue has seen. */
import type { Redis } from 'ioredis';
import { TENANTS, tenantsIn } from './names.ts';

/** Lists the tenants, in order. A key of another kind has none. */
export async function listTenants(client: Redis): Promise<readonly string[]> {
  if ((await client.type(TENANTS)) !== 'set') return [];
  return tenantsIn(await client.smembers(TENANTS));
}
