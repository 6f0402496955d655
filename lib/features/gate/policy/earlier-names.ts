/** Translates the names of earlier versions of a policy, and remembers how the file spells them. */

import type { Problem } from '../../../core/errors.ts';
import { isObject, type JsonObject } from '../../../core/json.ts';
import { type Path, problemIn, type Source } from '../../../documents/places.ts';
import { CATEGORIES, FRAMEWORKS, knownName } from './names.ts';

interface Rename {
  readonly name: string;
  /** What the new name stands for; absent for another spelling of the same name. */
  readonly meaning?: string;
  readonly sameAs: string;
}

/** A number of attacks and a percentage were called almost alike. */
const EARLIER: ReadonlyMap<string, Rename> = new Map([
  ['max', { name: 'max_successful', meaning: 'a number of attacks', sameAs: 'the earlier name of' }],
  [
    'max_asr',
    { name: 'max_asr_percent', meaning: 'the attack success rate in percent', sameAs: 'the earlier name of' },
  ],
]);

/** A policy with the current names, and where its parts stand in the file. */
export class CurrentPolicy {
  readonly value: JsonObject;
  /** Locates parts by their current names. */
  readonly source: Source;
  readonly warnings: string[] = [];
  readonly problems: Problem[] = [];
  readonly #file: Source;
  /** Names as the file spells them, by their current path. */
  readonly #spellings = new Map<string, string>();

  /** Translates the names, whatever else is wrong with the policy. */
  constructor(document: JsonObject, file: Source) {
    this.#file = file;
    const { redteam } = document;
    this.value = redteam === undefined ? document : { ...document, redteam: this.#translated(redteam, ['redteam']) };
    this.source = {
      ...file,
      lineOf: (path) => file.lineOf(this.spelled(path)),
      columnOf: (path) => file.columnOf(this.spelled(path)),
    };
  }

  /** Returns the path of a part as the file spells it. */
  spelled(path: Path): Path {
    return path.map((key, at) => this.#spellings.get([...path.slice(0, at), key].join('\n')) ?? key);
  }

  /** @param path by current names @param written the same as the file spells it */
  #translated(value: unknown, path: Path, written = path): unknown {
    if (Array.isArray(value)) return value.map((each, at) => this.#translated(each, [...path, at], [...written, at]));
    if (!isObject(value)) return currentValue(value, path);
    const names = new Set<string>();
    const members = Object.entries(value).map(([name, member]): [string, unknown] => {
      const rename = renameAt(path, name);
      const current = rename?.name ?? name;
      const place = [...written, name];
      if (rename !== undefined && (current in value || names.has(current))) {
        const message = `${place.join('.')} is ${rename.sameAs} ${current}: keep one of the two.`;
        this.problems.push(problemIn(this.#file, place, message));
        return [name, member];
      }
      names.add(current);
      if (current !== name) this.#spellings.set([...path, current].join('\n'), name);
      if (rename?.meaning !== undefined) {
        const message = `${place.join('.')} is now called ${current}, ${rename.meaning}.`;
        this.warnings.push(problemIn(this.#file, place, message).message);
      }
      return [current, this.#translated(member, [...path, current], place)];
    });
    return Object.fromEntries(members);
  }
}

/** Finds the current name of a member. @param path of the object, which begins with `redteam` */
function renameAt([, part, ...inside]: Path, name: string): Rename | undefined {
  if (part === 'frameworks' && inside.length === 0) {
    const known = knownName(name, FRAMEWORKS);
    return known === undefined || known === name ? undefined : { name: known, sameAs: 'the same as' };
  }
  return part === undefined || inside.length === 1 ? EARLIER.get(name) : undefined;
}

/** Spells the category of a limit as the service does. */
function currentValue(value: unknown, [, part, at, member]: Path): unknown {
  const isCategory = part === 'limits' && at !== undefined && member === 'category' && typeof value === 'string';
  return isCategory ? (knownName(value, CATEGORIES) ?? value) : value;
}
