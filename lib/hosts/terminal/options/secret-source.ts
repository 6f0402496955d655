/** Reads secrets from the environment and from files. */

import { AisecError } from '../../../core/errors.ts';
import type { SecretSource } from '../../../core/ports.ts';
import type { Environment } from '../host.ts';

/** Larger than any secret. */
const MAX_BYTES = 1_000_000;

/** Creates the source of one command. @param signal ends the wait for a file that is a named pipe */
export function secretSource(environment: Environment, signal: AbortSignal): SecretSource {
  return (kind, name) => (kind === 'env' ? environment[name] : textOf(name, signal));
}

/** @throws CancelledError after the signal, UsageError for bytes that are not text */
async function textOf(path: string, signal: AbortSignal): Promise<string | undefined> {
  const [{ readBytes }, { decodeText }] = await Promise.all([
    import('../../../node/files/read-bytes.ts'),
    import('../../../node/files/decode-text.ts'),
  ]);
  try {
    const bytes = await readBytes(path, { signal, maxBytes: MAX_BYTES });
    return decodeText(bytes, `The file ${path}`).replace(/\r?\n$/, '');
  } catch (thrown) {
    if (thrown instanceof AisecError) throw thrown;
    return undefined;
  }
}
