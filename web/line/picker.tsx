/** Lists from which the arrow keys of a field choose, and dialogs over the page; in a picker, words find one of many things. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Act } from '../entries/act.tsx';
import { lineText } from '../entries/cells.ts';
import { dialog } from './state.ts';
import { type Offer, withWords } from './text.ts';

interface PickerProps {
  readonly label: string;
  readonly items: readonly Offer[];
  readonly onTake: (text: string) => void;
  /** What is searched at first. */
  readonly words?: string | undefined;
  /** Shown beside the list, for the chosen item. */
  readonly help?: (text: string) => ComponentChildren;
}

export function Picker({ label, items, onTake, words: first = '', help }: PickerProps) {
  const words = useSignal(first);
  const active = useSignal(0);
  const offers = withWords(items, words.value);
  const chosen = offers[active.value];
  const take = ({ text }: Offer) => {
    closeDialog();
    onTake(text);
  };
  const onKey = (event: KeyboardEvent) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (steps !== undefined) active.value = Math.max(0, Math.min(offers.length - 1, active.value + steps));
    else if (event.key === 'Enter' && !event.isComposing && chosen !== undefined) take(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label={label}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-label={label}
        placeholder={label}
        value={words.value}
        {...fieldOf('picked', chosen === undefined ? -1 : active.value)}
        onInput={(event) => {
          words.value = event.currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={onKey}
      />
      <div class="picker">
        <Options
          {...{ id: 'picked', label, offers, active: active.value, onTake: take }}
          onPoint={(at) => (active.value = at)}
        />
        {help === undefined ? undefined : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
          <section aria-label="Help" tabIndex={0}>
            {chosen === undefined ? '' : help(chosen.text)}
          </section>
        )}
      </div>
      <p role="status" class="soft">
        {offers.length === 0 ? 'No match.' : `${offers.length} found. Enter accepts, Escape closes.`}
      </p>
    </Dialog>
  );
}

/** Closes the open dialog. The browser gives the focus back at once, and reports the end later. */
function closeDialog(): void {
  document.querySelector<HTMLDialogElement>('dialog[open]')?.close();
}

function open(element: HTMLDialogElement | null): void {
  element?.showModal();
}

/** Shows a dialog; the browser keeps the focus in it, and closes it by Escape and by a press beside it. */
export function Dialog({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <dialog ref={open} class="over" aria-label={label} closedby="any" onClose={() => (dialog.value = undefined)}>
      {children}
      <Act on={closeDialog}>Close</Act>
    </dialog>
  );
}

interface OptionsProps {
  readonly id: string;
  readonly label: string;
  readonly offers: readonly Offer[];
  readonly active: number;
  readonly onPoint?: (at: number) => void;
  readonly onTake: (offer: Offer) => void;
}

/** Returns the attributes of the field. */
export function fieldOf(id: string, active: number) {
  const chosen = active < 0 ? {} : { 'aria-activedescendant': `${id}-${active}` };
  return {
    'aria-autocomplete': 'list',
    'aria-controls': id,
    autocomplete: 'off',
    spellcheck: false,
    ...chosen,
  } as const;
}

/** Shows the list. A press does not take the focus from the field. */
export function Options({ id, label, offers, active, onPoint, onTake }: OptionsProps) {
  useLayoutEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  return (
    <div
      {...{ id, class: 'options', 'aria-label': label, tabIndex: -1, hidden: offers.length === 0 }}
      role="listbox"
      onMouseDown={(event) => event.preventDefault()}
    >
      {offers.map((offer, at) => (
        <div
          key={offer.text}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          onMouseMove={() => onPoint?.(at)}
          onMouseDown={() => onTake(offer)}
        >
          <code dir="auto">{offer.text.trim()}</code> <bdi class="soft">{lineText(offer.description ?? '')}</bdi>
        </div>
      ))}
    </div>
  );
}
