/** Changes single values of a JSON text. All others stay as they came, such as integers that a number cannot hold. */
import { endOfString, isObject } from '../../../core/json.ts';
import { decoded } from '../../readable.ts';

/** A value, and where it stands in the text. */
export interface Place {
  readonly value: unknown;
  /** It is a text, and no integer whose digits are its value. */
  readonly isText: boolean;
  /** Members by name, and elements by position. */
  readonly members: ReadonlyMap<string, Place>;
  /** Where its key begins, or else the value. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

export class RawJson {
  readonly root: Place;
  readonly #text: string;
  /** Texts that replace values; an empty one takes the value out. */
  readonly #edits = new Map<Place, string>();

  /** @throws Unscanned for a text that two readers could read differently */
  constructor(text: string) {
    this.#text = text;
    this.root = new Places(text).next(decoded(text));
  }

  /** Returns a value as it came. */
  raw({ start, end }: Place): string {
    return this.#text.slice(start, end);
  }

  /** @param json takes the place of the value */
  replace(place: Place, json: string): void {
    this.#edits.set(place, json);
  }

  drop(place: Place): void {
    this.#edits.set(place, '');
  }

  /** Puts a changed copy of a value in its place; what both have in common stays as it came. */
  change(place: Place, copy: unknown): void {
    const [old, all] = [place.value, copy].map((each) => (isContainer(each) ? Object.keys(each) : undefined));
    const isAlike = Array.isArray(copy) === Array.isArray(place.value) && old?.join('\n') === all?.join('\n');
    if (old === undefined || !isAlike) {
      if (copy !== place.value) this.replace(place, JSON.stringify(copy));
      return;
    }
    for (const [name, member] of place.members) this.change(member, (copy as Readonly<Record<string, unknown>>)[name]);
  }

  toString(): string {
    return this.#edits.size === 0 ? this.#text : this.#written(this.root);
  }

  #written(place: Place): string {
    const edit = this.#edits.get(place);
    if (edit !== undefined) return edit;
    if (place.members.size === 0) return this.raw(place);
    const kept = [...place.members.values()].filter((member) => this.#edits.get(member) !== '');
    const written = kept.map((member) => this.#text.slice(member.from, member.start) + this.#written(member));
    return `${this.#text[place.start]}${written.join(',')}${this.#text[place.end - 1]}`;
  }
}

function isContainer(value: unknown): value is object {
  return isObject(value) || Array.isArray(value);
}

const SPACE = /[\s,:]*/y;
const SCALAR = /[^\s,\]}]*/y;

/** Finds the values of a text that is known to be JSON. */
class Places {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#skip(SPACE);
  }

  /** Returns the place of the value that begins here. */
  next(value: unknown, from = this.#at): Place {
    const start = this.#at;
    const sign = this.#text.charAt(start);
    const members = new Map<string, Place>();
    if (sign === '"') this.#at = endOfString(this.#text, start);
    else if (sign !== '{' && sign !== '[') this.#skip(SCALAR);
    else this.#inside(sign === '{', value as Readonly<Record<string, unknown>>, members);
    return { value, isText: sign === '"', members, from, start, end: this.#at };
  }

  #inside(hasKeys: boolean, values: Readonly<Record<string, unknown>>, members: Map<string, Place>): void {
    this.#at += 1;
    for (this.#skip(SPACE); !/[\]}]/.test(this.#text.charAt(this.#at)); this.#skip(SPACE)) {
      const from = this.#at;
      const name = hasKeys ? this.#key() : String(members.size);
      members.set(name, this.next(values[name], from));
    }
    this.#at += 1;
  }

  #key(): string {
    const end = endOfString(this.#text, this.#at);
    const name = String(JSON.parse(this.#text.slice(this.#at, end)));
    this.#at = end;
    this.#skip(SPACE);
    return name;
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    this.#at += pattern.exec(this.#text)?.[0].length ?? 0;
  }
}
