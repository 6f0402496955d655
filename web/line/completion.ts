/** Asks the service what can stand at the cursor, no more often than a letter needs it. */
import { signal } from '@preact/signals';
import { problemFrom, sendJson } from '../api.ts';
import { room } from '../room/store.ts';
import { isFormOpen, lineField, problem, replaceText, text, understood, whenSet } from './state.ts';
import { narrowed, type Offer, type Offered, type Pair, withoutWhole } from './text.ts';

/** The answer of the service. */
export interface Completion {
  readonly offers: readonly Offer[];
  readonly from: number;
  readonly command: string | null;
  readonly arguments: readonly Pair[];
  readonly missing: readonly string[];
  readonly question: string | null;
}

/** The open list; `active` is -1 while no offer is chosen. */
export const list = signal<
  { readonly offers: readonly Offer[]; readonly from: number; readonly active: number } | undefined
>(undefined);

/** Time without a letter before the service is asked, in milliseconds. */
const WAIT_MS = 80;
/** The same if only the form needs the answer. */
const FORM_MS = 250;
/** Times after which a list of the tenant may have arrived at the service. */
const AGAIN_MS = [700, 1000, 1500, 2500];

let last: (Offered & { readonly room: string }) | undefined;
/** Counts the states of the line: an answer to an earlier state is dropped. */
let turn = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let asking: AbortController | undefined;

/** Asks about a line. @throws ApiError */
export function askAbout(id: string, line: string, cursor: number, signal?: AbortSignal): Promise<Completion> {
  return sendJson<Completion>(`/v1/sessions/${encodeURIComponent(id)}/complete`, {
    method: 'POST',
    body: { line, cursor },
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Closes the list, and drops answers that are on their way; the form still gets its own. */
export function closeList(): void {
  drop();
  const [id, line, mine] = [room.peek(), text.value, turn];
  if (id === undefined || !isFormOpen.value || understood.value.line === line) return;
  askAbout(id, line, line.length).then(
    (answer) => {
      if (mine === turn) understood.value = { ...answer, line };
    },
    () => undefined,
  );
}

function drop(): void {
  turn += 1;
  clearTimeout(timer);
  asking?.abort();
  list.value = undefined;
}

/** Shows what fits the text before the cursor, and asks the service if the earlier answer does not say. */
export function completeSoon(): void {
  drop();
  const id = room.peek();
  const cursor = lineField()?.selectionStart ?? text.value.length;
  if (id === undefined || text.value.trim() === '') {
    understood.value = { line: text.value, command: null, arguments: [] };
    return;
  }
  const known = last?.room === id ? narrowed(last, text.value, cursor) : undefined;
  if (known !== undefined) show(known.offers, last?.from ?? 0);
  if (known?.isAll === true && !isFormOpen.value) return;
  const mine = turn;
  timer = setTimeout(() => void ask(id, cursor, mine), known?.isAll === true ? FORM_MS : WAIT_MS);
}

async function ask(id: string, cursor: number, mine: number, again = 0): Promise<void> {
  const line = text.value;
  asking = new AbortController();
  try {
    const answer = await askAbout(id, line, cursor, asking.signal);
    if (mine !== turn) return;
    const { from } = answer;
    const word = line.slice(from, cursor);
    last = { room: id, line, from, word, offers: answer.offers };
    understood.value = { ...answer, line };
    show(withoutWhole(answer.offers, word), from);
    // The lists of a tenant may take longer than the service waits.
    const pause = AGAIN_MS[again];
    if (answer.offers.length > 0 || pause === undefined || !line.slice(0, from).endsWith('=')) return;
    timer = setTimeout(() => void ask(id, cursor, mine, again + 1), pause);
  } catch (thrown) {
    if (mine === turn && problemFrom(thrown).status === 404) problem.value = problemFrom(thrown);
  }
}

function show(offers: readonly Offer[], from: number): void {
  const isShown = offers.length > 0 && document.activeElement === lineField();
  list.value = isShown ? { offers, from, active: -1 } : undefined;
}

/** Moves the choice; before the first offer, none is chosen. */
export function moveChoice(steps: number): void {
  const open = list.value;
  if (open === undefined) return;
  const active = Math.max(-1, Math.min(open.offers.length - 1, open.active + steps));
  list.value = { ...open, active };
}

/** Puts an offer into the line. */
export function takeOffer(offer: Offer): void {
  const open = list.value;
  const cursor = lineField()?.selectionStart ?? text.value.length;
  if (open === undefined) return;
  drop();
  replaceText(open.from, cursor, offer.text);
}

// A line that was chosen elsewhere needs no list.
whenSet(closeList);
