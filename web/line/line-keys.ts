/** What the keys of the line do. */
import { active, list, openList, takeOffer } from './completion.ts';
import { enterLine } from './dialogs.tsx';
import { isListOpen, isRecalled, lineField, recall } from './state.ts';

export function onKey(event: KeyboardEvent): void {
  // Enter and arrows belong to an input method while it composes.
  if (event.isComposing) return;
  // The offers belong to the place that the cursor leaves.
  if (/^(?:Arrow(?:Left|Right)|Home|End)$/.test(event.key)) isListOpen.value = false;
  if (KEYS[event.key]?.(event) === true) event.preventDefault();
}

/** What the keys of the line do. They return true if the browser shall not do more. */
const KEYS: Readonly<Record<string, (event: KeyboardEvent) => boolean>> = {
  Enter: ({ shiftKey, ctrlKey, metaKey, repeat }) => {
    const chosen = list.value[active.value];
    if (shiftKey) return false;
    if (chosen !== undefined && !ctrlKey && !metaKey) takeOffer(chosen);
    else if (!repeat) enterLine();
    return true;
  },
  Tab: ({ shiftKey }) => {
    const offer = list.value[Math.max(0, active.value)];
    if (offer === undefined || shiftKey) return false;
    takeOffer(offer);
    return true;
  },
  Escape: () => {
    const isOpen = list.value.length > 0;
    isListOpen.value = false;
    return isOpen;
  },
  ' ': ({ ctrlKey }) => {
    if (ctrlKey) openList();
    return ctrlKey;
  },
  ArrowDown: (event) => move(event, 1),
  ArrowUp: (event) => move(event, -1),
};

/** Moves the choice; without a list, or before its first offer, goes through the history. */
function move({ shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent, steps: 1 | -1): boolean {
  const { length } = list.value;
  if (length > 0 && active.value + steps >= -1) {
    active.value = Math.min(length - 1, active.value + steps);
    return true;
  }
  const field = lineField.value;
  if (shiftKey || altKey || ctrlKey || metaKey || field === null) return false;
  // In a text of several rows, the arrows first go to its beginning or its end.
  const isOneRow = field.clientHeight < 2 * Number.parseFloat(getComputedStyle(field).lineHeight);
  const isAtEnd = steps < 0 ? field.selectionStart === 0 : field.selectionEnd === field.value.length;
  return (isOneRow || isAtEnd || isRecalled()) && recall(steps > 0 ? -1 : 1);
}
