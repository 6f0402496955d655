/** Translates what earlier versions of a policy call otherwise, and remembers how the file spells it. */
import { type Path, problemIn, type Source } from '../../../documents/places.ts';
import type { Problem } from '../../../engine/errors.ts';
import { isObject, type JsonObject } from '../../../engine/json.ts';
import { CATEGORIES, FRAMEWORKS, knownName } from './names.ts';

/** A number of attacks and a percentage were called almost alike. */
const EARLIER: Readonly<Record<string, readonly [name: string, meaning: string]>> = {
  max: ['max_successful', 'a number of attacks'],
  max_asr: ['max_asr_percent', 'the attack success rate in percent'],
};

export interface Translated {
  readonly value: JsonObject;
  /** Locates parts by their current names. */
  readonly source: Source;
  /** Returns the path of a part as the file spells it. */
  readonly spelled: (path: Path) => Path;
  readonly warnings: readonly string[];
  readonly problems: readonly Problem[];
}

/** Translates the names of a policy, whatever else is wrong with it. */
export function withCurrentNames(document: JsonObject, source: Source): Translated {
  const spellings = new Map<string, string>();
  const [warnings, problems]: [string[], Problem[]] = [[], []];

  /** @param path of the object, by current names @param written the same as the file spells it */
  const renamed = (value: unknown, path: Path, written: Path, nameOf: (name: string) => Rename | undefined) => {
    if (!isObject(value)) return value;
    const names = new Set<string>();
    const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
      const rename = nameOf(name);
      const current = rename?.name ?? name;
      const place = [...written, name];
      if (rename !== undefined && (current in value || names.has(current))) {
        const message = `${place.join('.')} is ${rename.sameAs} ${current}: keep one of the two.`;
        problems.push(problemIn(source, place, message));
        return [name, member];
      }
      names.add(current);
      if (current !== name) spellings.set([...path, current].join('\n'), name);
      if (rename?.meaning !== undefined) {
        const message = `${place.join('.')} is now called ${current}, ${rename.meaning}.`;
        warnings.push(problemIn(source, place, message).message);
      }
      return [current, member];
    });
    return Object.fromEntries(entries);
  };
  const members = (value: unknown, path: Path, written = path) => renamed(value, path, written, earlier);

  const spelled = (path: Path): Path =>
    path.map((key, at) => spellings.get([...path.slice(0, at), key].join('\n')) ?? key);
  const limit = (value: unknown, path: Path) => {
    const current = members(value, path);
    if (!isObject(current) || typeof current['category'] !== 'string') return current;
    return { ...current, category: knownName(current['category'], CATEGORIES) ?? current['category'] };
  };
  const frameworks = (value: unknown, path: Path) => {
    const current = renamed(value, path, path, frameworkNamed);
    if (!isObject(current)) return current;
    const entries = Object.entries(current);
    return Object.fromEntries(
      entries.map(([name, each]) => [name, members(each, [...path, name], spelled([...path, name]))]),
    );
  };
  const redTeam = (value: unknown) => {
    const current = members(value, ['redteam']);
    if (!isObject(current)) return current;
    const { limits } = current;
    return {
      ...current,
      ...(Array.isArray(limits) ? { limits: limits.map((each, at) => limit(each, ['redteam', 'limits', at])) } : {}),
      ...('frameworks' in current ? { frameworks: frameworks(current['frameworks'], ['redteam', 'frameworks']) } : {}),
    };
  };

  const value = Object.hasOwn(document, 'redteam') ? { ...document, redteam: redTeam(document['redteam']) } : document;
  return {
    value,
    source: {
      ...source,
      lineOf: (path) => source.lineOf(spelled(path)),
      columnOf: (path) => source.columnOf(spelled(path)),
    },
    spelled,
    warnings,
    problems,
  };
}

interface Rename {
  readonly name: string;
  /** What the new name stands for; absent for another spelling of the same name. */
  readonly meaning?: string;
  readonly sameAs: string;
}

function earlier(name: string): Rename | undefined {
  const [current, meaning] = (Object.hasOwn(EARLIER, name) ? EARLIER[name] : undefined) ?? [];
  if (current === undefined || meaning === undefined) return undefined;
  return { name: current, meaning, sameAs: 'the earlier name of' };
}

function frameworkNamed(name: string): Rename | undefined {
  const known = knownName(name, FRAMEWORKS);
  return known === undefined || known === name ? undefined : { name: known, sameAs: 'the same as' };
}
