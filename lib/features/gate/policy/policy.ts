/** A policy: what a gate accepts, in a file that is reviewed like code. */
import type { Path, Source } from '../../../documents/places.ts';
import type { Policy } from './schema.ts';

/** A policy with the lines of its parts. */
export interface PolicyFile {
  readonly policy: Policy;
  readonly source: Source;
  /** Returns the path of a part as the file spells it. */
  readonly spelled: (path: Path) => Path;
}

/** Where a limit stands. */
export interface LimitPlace {
  /** For messages: `aisec-policy.yml:4, redteam.fail_on`. */
  readonly source: string;
  /** For report files. */
  readonly place: { readonly uri: string; readonly line?: number };
}

export function placeIn({ source: { file, lineOf }, spelled }: PolicyFile, path: Path): LimitPlace {
  const line = lineOf(path);
  const source = `${file}${line === undefined ? '' : `:${line}`}, ${spelled(path).join('.')}`;
  return { source, place: { uri: file, ...(line === undefined ? {} : { line }) } };
}
