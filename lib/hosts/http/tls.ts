/** Reads the certificate of the service. */
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ConfigurationError } from '../../core/errors.ts';
import { codeText } from '../../node/system-error.ts';

/** Paths of the PEM files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Reads certificate and key as PEM texts. @throws ConfigurationError for files that are missing, or do not match */
export async function readTls(files: TlsFiles): Promise<TlsFiles> {
  const texts = { cert: await pem(files.cert), key: await pem(files.key) };
  try {
    createSecureContext(texts);
  } catch (thrown) {
    throw new ConfigurationError(
      `${files.cert} and ${files.key} are not a matching certificate and key${codeText(thrown)}.`,
      { hint: 'Both are PEM; the certificate comes before those of its authorities.' },
    );
  }
  return texts;
}

async function pem(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new ConfigurationError(`The file ${path} cannot be read${codeText(thrown)}.`, {
      hint: 'Check --tls-cert and --tls-key.',
    });
  }
}
