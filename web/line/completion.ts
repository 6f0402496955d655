/** Asks the service what can stand at the cursor, and how it understands the line. */
import { computed, effect, signal } from '@preact/signals';
import { sendJson } from '../api.ts';
import { pathOf, room } from '../room/store.ts';
import { isListOpen, lineField, replaceText, text } from './state.ts';
import type { Offer, Pair } from './text.ts';

interface Completion {
  readonly offers: readonly Offer[];
  /** Where the text begins that an offer replaces. */
  readonly from: number;
  readonly command: string | null;
  readonly arguments: readonly Pair[];
  readonly question: string | null;
  readonly seal: string;
}

/** The latest answer, or what the form made of it, with the line that it is about; the text may be newer. */
export const understood = signal<Completion & { readonly line: string }>({
  ...{ line: '', offers: [], from: 0, command: null, arguments: [], question: null, seal: '' },
});

/** Place of the chosen offer; -1 while no offer is chosen. */
export const active = signal(-1);

/** The offers of the open list: of an answer to an earlier letter, what still fits. */
export const list = computed<readonly Offer[]>(() => {
  const { line, from, offers } = understood.value;
  const now = text.value;
  if (!isListOpen.value || now.trim() === '' || !now.startsWith(line.slice(0, from))) return [];
  const word = now.slice(from, lineField.value?.selectionStart);
  return offers.filter((offer) => offer.text.trim() !== word && (line === now || offer.text.includes(word)));
});

/** Time without a letter before the service is asked, then times after which a list of the tenant may have arrived there. */
const PAUSES_MS = [80, 700, 1000, 1500, 2500];

/** Asks about a line. @throws ApiError */
export function askAbout(line: string, cursor = line.length, confirm = false): Promise<Completion> {
  return sendJson<Completion>(pathOf('complete'), { method: 'POST', body: { line, cursor, confirm } });
}

/** Asks about the line, unless it changes in the meantime. */
export async function understand(): Promise<void> {
  const line = text.peek();
  // The run says what is wrong.
  const answer = await askAbout(line, lineField.value?.selectionStart).catch(() => undefined);
  if (answer === undefined || line !== text.peek()) return;
  understood.value = { ...answer, line };
  active.value = -1;
}

async function understandSoon(line: string): Promise<void> {
  for (const pause of PAUSES_MS) {
    await new Promise((done) => setTimeout(done, pause));
    if (line !== text.peek() || room.peek() === undefined) return;
    await understand();
    const { offers, from } = understood.peek();
    if (offers.length > 0 || !isListOpen.peek() || !line.slice(0, from).endsWith('=')) return;
  }
}

effect(() => {
  if (text.value !== understood.peek().line) void understandSoon(text.value);
});

export function openList(): void {
  isListOpen.value = true;
  void understand();
}

export function takeOffer(offer: Offer): void {
  replaceText(understood.value.from, lineField.value?.selectionStart ?? text.value.length, offer.text);
}
