import { fetchValues } from '../../hosts/terminal/complete/known-values.ts';
import { openSession } from '../../hosts/terminal/modes/session.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';
import { openValueCache } from './value-cache.ts';

/** `aisec __refresh LIST-COMMAND`: fetches the values that completion knows. Runs detached. */
export async function refresh({ host, options, screen, signal, words: [command = ''] }: SubcommandContext) {
  const infos = (await host.catalogue()).flatMap((info) => info.arguments);
  const lookup = infos.find((argument) => argument.lookup?.command === command)?.lookup;
  if (lookup === undefined) return 0;
  const session = await openSession(host, options, screen, { signal });
  try {
    const values = await fetchValues(lookup, host.registry, await session.runtime(signal));
    await openValueCache(options, host.environment).write(command, values);
    return 0;
  } finally {
    await session.close();
  }
}
