/** Finds the red-team scan that a word identifies: the scan itself, or the newest scan of a target. */
import { ConflictError, NotFoundError } from '../../core/errors.ts';
import { asText, objectOf, objectsOf } from '../../core/json.ts';
import { grouped } from '../../core/text/numbers.ts';
import type { RunCommand } from '../../runtime/engine/command-port.ts';
import { runCommand } from '../scans/commands.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A shorter prefix could match another scan tomorrow. */
const PREFIX = /^[0-9a-f-]{4,}$/i;
/** Number of scans that are searched, newest first. */
const MAX_SCANS = 1000;
const MAX_CANDIDATES = 5;

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly created: string;
  readonly target: { readonly id: string; readonly name: string };
}

/**
 * Finds a scan by its id, a prefix of it, or its name; or the newest scan of the target with this name.
 * @returns the id of the scan
 * @throws NotFoundError for an unknown word; ConflictError if several scans match
 */
export async function findScan(word: string, ask: RunCommand): Promise<string> {
  const { raw } = await runCommand(ask, 'aisec-redteam-scans-list', { limit: MAX_SCANS });
  const scans = objectsOf(raw)
    .map(listed)
    .sort((a, b) => (a.created < b.created ? 1 : a.created > b.created ? -1 : 0));
  const isNamed = ({ id, name }: { readonly id: string; readonly name: string }) =>
    id === word.toLowerCase() || name === word || (PREFIX.test(word) && id.startsWith(word.toLowerCase()));
  const named = scans.filter(isNamed);
  const targets = new Map(scans.filter(({ target }) => isNamed(target)).map(({ target }) => [target.id, target.name]));
  const ofTarget = targets.size === 1 ? scans.find(({ target }) => isNamed(target)) : undefined;
  const found = new Set([...named.map(({ id }) => id), ...(ofTarget === undefined ? [] : [ofTarget.id])]);
  const [only] = found;
  if (targets.size > 1 || found.size > 1) {
    const candidates = [...targets].map(([id, name]) => `target ${name} ${id}`);
    throw ambiguous(word, [...candidates, ...named.map(({ id, name }) => `scan ${name} ${id}`)]);
  }
  if (only !== undefined) return only;
  // A scan too old for the list is still found by its id.
  if (UUID.test(word)) return word;
  throw new NotFoundError(
    `No red-team scan has the id or name "${word.slice(0, 80)}", and no target of the newest ${grouped(MAX_SCANS)} scans has this name.`,
    { hint: 'See the scans with: !aisec-redteam-scans-list' },
  );
}

function listed(scan: Readonly<Record<string, unknown>>): Listed {
  const { name, uuid } = objectOf(scan['target']);
  return {
    id: asText(scan['uuid']),
    name: asText(scan['name']),
    created: asText(scan['created_at']),
    target: { id: asText(scan['target_id'] ?? uuid), name: asText(name) },
  };
}

function ambiguous(word: string, candidates: readonly string[]): ConflictError {
  const shown = candidates.slice(0, MAX_CANDIDATES).join('; ');
  const more = candidates.length > MAX_CANDIDATES ? `; and ${candidates.length - MAX_CANDIDATES} more` : '';
  return new ConflictError(`"${word.slice(0, 80)}" names several: ${shown}${more}.`, { hint: 'Give the whole id.' });
}
