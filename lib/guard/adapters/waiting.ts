/** Holds streamed text until its verdict, and also the parts between the pieces of text: everything is released in order. */

interface Entry<Item> {
  item: Item;
  readonly owner: unknown;
  readonly isText: boolean;
  /** Length of the item's text that has not been shown yet. */
  left: number;
}

export interface Leaving<Item> {
  readonly item: Item;
  /** The text to show, in the form of the item; undefined if the item is not text. */
  readonly text: string | undefined;
}

export class Waiting<Item> {
  readonly #entries: Entry<Item>[] = [];
  #last: Item | undefined;

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Adds a piece of text. Consecutive pieces of one owner are released together, in the form of the latest. */
  text(item: Item, said: string, owner?: unknown): void {
    const last = this.#entries.at(-1);
    if (last?.isText === true && last.owner === owner) Object.assign(last, { item, left: last.left + said.length });
    else this.#entries.push({ item, owner, isText: true, left: said.length });
  }

  other(item: Item): void {
    this.#entries.push({ item, owner: undefined, isText: false, left: 0 });
  }

  /** Returns the items that are released with a text. @param isEnd no more text will be released */
  *leaving(released: string, isEnd: boolean): Generator<Leaving<Item>> {
    let rest = released;
    for (let [next] = this.#entries; next !== undefined; [next] = this.#entries) {
      const { item, isText } = next;
      if (isText) {
        this.#last = item;
        // If masking changes the length, the positions of the pieces are lost: the last piece gets the remaining text.
        const isLast = !this.#entries.some((each) => each !== next && each.isText);
        const text = isLast ? rest : rest.slice(0, next.left);
        rest = rest.slice(text.length);
        next.left -= text.length;
        const isWhole = isEnd || next.left <= 0;
        if (isWhole) this.#entries.shift();
        yield { item, text };
        if (!isWhole) return;
      } else {
        this.#entries.shift();
        yield { item, text: undefined };
      }
    }
    if (rest !== '' && this.#last !== undefined) yield { item: this.#last, text: rest };
  }
}
