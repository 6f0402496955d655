/** From the text of a playbook to its document. yaml is loaded when there is something to read. */
import { UsageError } from '../errors.ts';
import { isObject, type JsonObject } from '../json.ts';

/** The largest playbooks of the platform stay far below it. */
const MOST_CHARACTERS = 5_000_000;

/**
 * @param name of the file, for messages
 * @throws UsageError when the text is no YAML or JSON, or holds something else than names and values
 */
export async function readDocument(text: string, name: string): Promise<JsonObject> {
  if (text.length > MOST_CHARACTERS) throw new UsageError(`${name} is too large for a playbook.`);
  const { parseDocument } = await import('yaml');
  // The platform reads YAML 1.1.
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    version: '1.1',
    prettyErrors: true,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const [place] = error.linePos ?? [];
    const where = place === undefined ? '' : ` at line ${place.line}, column ${place.col}`;
    throw new UsageError(`${name} is not valid YAML${where}.`, { hint: 'A playbook is one YAML or JSON document.' });
  }
  const value = plainValue(() => document.toJS({ maxAliasCount: 100 }));
  if (isObject(value)) return value;
  throw new UsageError(`${name} is no playbook.`, { hint: 'A playbook holds name, starttaskid and tasks.' });
}

/** @returns undefined where references point nowhere, or multiply */
function plainValue(convert: () => unknown): unknown {
  try {
    return convert();
  } catch {
    return undefined;
  }
}
