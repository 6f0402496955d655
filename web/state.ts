/** What the whole page knows: who is logged in, the commands, and the view in the address. */
import { computed, signal } from '@preact/signals';
import { login, sendJson } from './api.ts';
import type { Command, Me } from './types.ts';

export { login };
export const me = signal<Me | undefined>(undefined);
/** The commands that the caller may run, by name. */
export const commands = signal<ReadonlyMap<string, Command>>(new Map());

/** Steps of the address after `#/`, decoded; `[]` is the first page. */
export const place = signal<readonly string[]>(placeOf(location.hash));
export const view = computed(() => place.value[0] ?? 'home');

addEventListener('hashchange', () => {
  place.value = placeOf(location.hash);
});

function placeOf(hash: string): readonly string[] {
  return (
    hash
      .replace(/^#\/?/, '')
      .split('/')
      .map((step) => {
        try {
          return decodeURIComponent(step);
        } catch {
          return step;
        }
      })
      // A browser would take dots for folders.
      .filter((step) => !/^\.{0,2}$/.test(step))
  );
}

/** Returns the address of a view, such as `#/reports/ID`. */
export function addressOf(...steps: readonly (string | number)[]): string {
  return `#/${steps.map((step) => encodeURIComponent(step)).join('/')}`;
}

export function goTo(...steps: readonly (string | number)[]): void {
  location.hash = addressOf(...steps);
}

/** Other tabs of this browser share its login. */
const tabs = new BroadcastChannel('aisec-login');
tabs.onmessage = () => location.reload();

/** Tells the other tabs that this browser has another login. */
export function tellTabs(): void {
  tabs.postMessage('');
}

/** Loads the page again in all tabs: the next person who logs in must find nothing of the person before. */
export function startAgain(): void {
  tellTabs();
  location.reload();
}

/** Loads what every view needs. @throws ApiError */
export async function loadBasics(): Promise<void> {
  // Alone, so that a browser that is not logged in is refused once.
  me.value = await sendJson<Me>('/v1/me');
  const catalogue = await sendJson<{ commands: readonly Command[] }>('/v1/commands');
  commands.value = new Map(catalogue.commands.map((command) => [command.name, command]));
  login.value = 'in';
}
