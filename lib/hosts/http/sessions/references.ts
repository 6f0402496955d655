/** Notices when a value changes that a line referred to. */
import { createHash } from 'node:crypto';
import { parseLine } from '../../../client/argv.ts';
import { resolveReferences } from '../../../runtime/arguments/references.ts';

type Context = Readonly<Record<string, unknown>>;

/** The arguments of one line that refer to the context. */
export class References {
  readonly #texts: readonly string[];
  #digest: string;

  private constructor(texts: readonly string[], context: Context) {
    this.#texts = texts;
    this.#digest = digestOf(texts, context);
  }

  /** Reads the references of a line, and their values. @returns undefined if there are none */
  static of(line: string, context: Context): References | undefined {
    const texts = textsOf(line).filter((text) => text.includes('${'));
    return texts.length === 0 ? undefined : new References(texts, context);
  }

  /** Reports whether a write to one of these paths may change a value. */
  mayDependOn(paths: readonly string[]): boolean {
    // A path such as AiSec.Topic is shorter or longer than the part of a reference before its first index or filter.
    const areas = paths.flatMap((path) => path.split('.').slice(0, 2).join('.'));
    return areas.some((area) => this.#texts.some((text) => text.includes(area) || isWide(text)));
  }

  /** Reports whether a value is not what it was. @param known digests of this context by text, which are computed once */
  hasChanged(context: Context, known?: Map<string, string>): boolean {
    return digestOf(this.#texts, context, known) !== this.#digest;
  }

  /** Takes the present values as those that the line referred to. */
  renew(context: Context): void {
    this.#digest = digestOf(this.#texts, context);
  }
}

/** Matches a reference to a whole root, such as `${AiSec}`. */
function isWide(text: string): boolean {
  return /\$\{\s*[\w-]+\s*(?:[}([]|\.[[(])/.test(text);
}

function textsOf(line: string): string[] {
  try {
    const { pairs, positionals } = parseLine(line);
    return [...pairs.map(({ value }) => String(value)), ...positionals];
  } catch {
    return [];
  }
}

function digestOf(texts: readonly string[], context: Context, known = new Map<string, string>()): string {
  return texts
    .map((text) => {
      const found = known.get(text) ?? digestOfOne(text, context);
      known.set(text, found);
      return found;
    })
    .join(' ');
}

function digestOfOne(text: string, context: Context): string {
  try {
    const value = JSON.stringify([resolveReferences(text, context, () => undefined)]);
    return createHash('sha256').update(value).digest('base64');
  } catch {
    // Too many or too long references: the command was refused.
    return '';
  }
}
