/** Asks for pages before their turn, and hands their answers out in order. */
import { CancelledError, TimeoutError } from '../errors.ts';
import type { JsonObject } from '../json.ts';

/** One page: where it begins, and how many records are still wanted there. */
export interface Place {
  readonly position: number;
  readonly wanted: number;
}

/** What is known of the pages behind one. */
export interface Outlook {
  /** Where the page behind a place should begin; undefined where none is expected. */
  after(place: Place): Place | undefined;
  /** The service has said how many records there are: what is expected is there. */
  readonly certain: boolean;
}

/** @param ahead before its turn: one attempt is enough, because a page that fails is asked for again */
export type Ask = (place: Place, ahead: boolean) => Promise<JsonObject>;
/** The answer for one page; pages behind it may be on their way meanwhile. */
export type Take = (place: Place, outlook: Outlook) => Promise<JsonObject>;

type Outcome = { readonly answer: JsonObject } | { readonly thrown: unknown };

interface Held {
  readonly place: Place;
  /** Never rejects: nobody may come for it. */
  readonly outcome: Promise<Outcome>;
}

/**
 * Whoever takes pages decides which one comes next, exactly as without any of this. A page that was asked for ahead and is not
 * the one that is taken is given up; one that failed is asked for again in its turn, with all the patience that a page has.
 * After either, pages come one by one, and then one more at once with each that comes: twice as many with each round trip.
 * Where the service has told the total there are as many as may be, unless something went wrong before.
 * @param most requests under way at once, and answers held, the page that is waited for included
 */
export function takePages(most: number, ask: Ask): Take {
  const queue: Held[] = [];
  /** Pages asked for ahead whose turn has not come, and those given up that are still under way. */
  let open = 0;
  let together = 1;
  let troubled = false;

  const slowDown = () => {
    together = 1;
    troubled = true;
  };
  const release = () => {
    open -= 1;
  };
  const giveUp = () => {
    slowDown();
    for (const { outcome } of queue.splice(0)) void outcome.then(release);
  };
  const next = (place: Place): Held | undefined => {
    const expected = queue[0]?.place;
    if (expected?.position !== place.position || expected.wanted !== place.wanted) {
      if (expected !== undefined) giveUp();
      return undefined;
    }
    release();
    return queue.shift();
  };
  const askAhead = (place: Place, { after, certain }: Outlook) => {
    if (certain && !troubled) together = most;
    let expected = after(queue[queue.length - 1]?.place ?? place);
    while (expected !== undefined && 1 + open < together) {
      open += 1;
      queue.push({ place: expected, outcome: settled(ask(expected, true)) });
      expected = after(expected);
    }
  };

  return async (place, outlook) => {
    const held = next(place);
    const asked = held?.outcome ?? settled(ask(place, false));
    askAhead(place, outlook);
    const outcome = await asked;
    if ('thrown' in outcome) {
      if (held === undefined || isFinal(outcome.thrown)) throw outcome.thrown;
      slowDown();
    }
    const answer = 'answer' in outcome ? outcome.answer : await ask(place, false);
    together = Math.min(most, together + 1);
    return answer;
  };
}

function settled(answer: Promise<JsonObject>): Promise<Outcome> {
  return answer.then(
    (value) => ({ answer: value }),
    (thrown: unknown) => ({ thrown }),
  );
}

/** The time is over, or the user has enough: nothing is asked for again. */
function isFinal(thrown: unknown): boolean {
  return thrown instanceof TimeoutError || thrown instanceof CancelledError;
}
