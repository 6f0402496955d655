/** Notices when a value changes that a line referred to. */
import { createHash } from 'node:crypto';
import { parseLine } from '../../../client/argv.ts';
import { MAX_REFERENCES, resolveReferences } from '../../../runtime/arguments/references.ts';
import { detached } from './detached.ts';

type Context = Readonly<Record<string, unknown>>;

/** The references of one line to the context. */
export class References {
  /** Size of what is kept, in bytes of JSON. */
  readonly bytes: number;
  readonly #texts: readonly string[];
  #digest: string;

  private constructor(texts: readonly string[], context: Context) {
    const { copy, bytes } = detached(texts);
    this.#texts = copy;
    this.#digest = digestOf(copy, context);
    this.bytes = bytes + this.#digest.length;
  }

  /** Reads the references of a line, and their values. @returns undefined if there are none, or too many to run */
  static of(line: string, context: Context): References | undefined {
    const texts = new Set(argumentsOf(line).flatMap(referencesIn));
    return texts.size === 0 || texts.size > MAX_REFERENCES ? undefined : new References([...texts], context);
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

function argumentsOf(line: string): string[] {
  try {
    const { pairs, positionals } = parseLine(line);
    return [...pairs.map(({ value }) => String(value)), ...positionals];
  } catch {
    return [];
  }
}

/** Returns the references without the text around them, which may be long. */
function referencesIn(text: string): string[] {
  return [...text.matchAll(/\$\{([^{}]*)\}/g)].map(([, path = '']) => `\${${path.trim()}}`);
}

function digestOf(texts: readonly string[], context: Context, known = new Map<string, string>()): string {
  const digests = texts.map((text) => {
    const found = known.get(text) ?? digestOfOne(text, context);
    known.set(text, found);
    return found;
  });
  return createHash('sha256').update(digests.join(' ')).digest('base64');
}

function digestOfOne(text: string, context: Context): string {
  try {
    const value = JSON.stringify([resolveReferences(text, context, () => undefined)]);
    return createHash('sha256').update(value).digest('base64');
  } catch {
    // The reference is too long: the command was refused.
    return '';
  }
}
