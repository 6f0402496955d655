/** Dialogs over the page; in one of them, words find one of many things. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { fieldOf, Options } from './options.tsx';
import { dialog } from './state.ts';
import type { Offer } from './text.ts';

interface PickerProps {
  readonly label: string;
  /** Returns the items for the typed words; items of a group are together. */
  readonly find: (words: string) => readonly (Offer & { readonly group?: string })[];
  readonly onTake: (text: string) => void;
  /** Shown beside the list, for the chosen item. */
  readonly help?: (text: string) => ComponentChildren;
}

/** Shows a dialog that finds an item. */
export function Picker({ label, find, onTake, help }: PickerProps) {
  const words = useSignal('');
  const active = useSignal(0);
  const items = find(words.value);
  const chosen = items[active.value];
  const take = ({ text }: Offer) => {
    closeDialog();
    onTake(text);
  };
  const onKey = (event: KeyboardEvent) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (steps !== undefined) active.value = Math.max(0, Math.min(items.length - 1, active.value + steps));
    else if (event.key === 'Enter' && !event.isComposing && chosen !== undefined) take(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label={label}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-label={label}
        placeholder={label}
        {...fieldOf('picked', chosen === undefined ? -1 : active.value)}
        value={words.value}
        onInput={(event) => {
          words.value = event.currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={onKey}
      />
      <div class="picker">
        <Options
          {...{ id: 'picked', label, offers: items, active: active.value, onTake: take }}
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
        {items.length === 0 ? 'Nothing has these words.' : `${items.length} found. Enter takes, Escape closes.`}
      </p>
    </Dialog>
  );
}

/** Closes the open dialog. The browser gives the focus back at once, and reports the end later. */
export function closeDialog(): void {
  document.querySelector<HTMLDialogElement>('dialog[open]')?.close();
}

/** Shows a dialog; the browser keeps the focus in it. */
export function Dialog({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog
      ref={element}
      class="over"
      aria-label={label}
      onClose={() => (dialog.value = undefined)}
      // A press beside the dialog.
      onMouseDown={(event) => {
        if (event.target === element.current) closeDialog();
      }}
    >
      <div>{children}</div>
    </dialog>
  );
}
