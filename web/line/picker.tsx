/** A dialog that finds one of many things by words. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export interface Item {
  readonly id: string;
  readonly title: string;
  readonly about?: string;
  readonly group?: string;
}

interface PickerProps {
  readonly label: string;
  /** Returns the items for the typed words; items of a group are together. */
  readonly find: (words: string) => readonly Item[];
  readonly onTake: (item: Item) => void;
  readonly onClose: () => void;
  /** Shown beside the list, for the chosen item. */
  readonly help?: (item: Item) => ComponentChildren;
}

const optionId = (at: number) => `picked-${at}`;

/** Shows the dialog. */
export function Picker({ label, find, onTake, onClose, help }: PickerProps) {
  const words = useSignal('');
  const active = useSignal(0);
  const items = find(words.value);
  const chosen = items[active.value];
  useLayoutEffect(() => {
    document.getElementById(optionId(active.value))?.scrollIntoView({ block: 'nearest' });
  }, [active.value]);
  const take = (item: Item | undefined) => {
    if (item === undefined) return;
    closeDialog();
    onTake(item);
  };
  const move = (steps: number) => {
    active.value = Math.max(0, Math.min(items.length - 1, active.value + steps));
  };
  const onKey = (event: KeyboardEvent) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (steps !== undefined) move(steps);
    else if (event.key === 'Enter' && !event.isComposing) take(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label={label} onClose={onClose}>
      <input
        type="text"
        class="picker-words"
        autocomplete="off"
        spellcheck={false}
        placeholder={label}
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls="picked"
        aria-activedescendant={chosen === undefined ? undefined : optionId(active.value)}
        value={words.value}
        onInput={(event) => {
          words.value = event.currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={onKey}
      />
      <div class="picker-parts">
        <div id="picked" role="listbox" aria-label={label} class="picker-list" tabIndex={-1}>
          {items.map((item, at) => (
            <Option
              key={item.id}
              item={item}
              at={at}
              isActive={at === active.value}
              heading={item.group === items[at - 1]?.group ? undefined : item.group}
              onPoint={() => (active.value = at)}
              onTake={() => take(item)}
            />
          ))}
        </div>
        {help === undefined ? undefined : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
          <section class="picker-help" aria-label="Help" tabIndex={0}>
            {chosen === undefined ? '' : help(chosen)}
          </section>
        )}
      </div>
      <p role="status" class="soft picker-count">
        {items.length === 0 ? 'Nothing has these words.' : `${items.length} found. Enter takes, Escape closes.`}
      </p>
    </Dialog>
  );
}

interface OptionProps {
  readonly item: Item;
  readonly at: number;
  readonly isActive: boolean;
  /** Title of the group that begins here. */
  readonly heading: string | undefined;
  readonly onPoint: () => void;
  readonly onTake: () => void;
}

function Option({ item: { title, about }, at, isActive, heading, onPoint, onTake }: OptionProps) {
  return (
    <>
      {heading === undefined ? undefined : (
        <div role="presentation" class="picker-group">
          {heading}
        </div>
      )}
      <div
        id={optionId(at)}
        role="option"
        tabIndex={-1}
        aria-selected={isActive}
        class="picker-item"
        onMouseMove={isActive ? undefined : onPoint}
        // A press must not take the focus from the words.
        onMouseDown={(event) => {
          event.preventDefault();
          onTake();
        }}
      >
        <bdi class="offer-text">{title}</bdi>
        {about === undefined ? undefined : <span class="soft">{about}</span>}
      </div>
    </>
  );
}

interface DialogProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Closes the open dialog. The browser gives the focus back at once, and reports the end later. */
export function closeDialog(): void {
  document.querySelector<HTMLDialogElement>('dialog[open]')?.close();
}

/** A dialog over the page; the browser keeps the focus in it, and gives it back. */
export function Dialog({ label, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      class="over"
      aria-label={label}
      onClose={onClose}
      // A press beside the dialog.
      onMouseDown={(event) => {
        if (event.target === element.current) closeDialog();
      }}
    >
      <div class="over-body">{children}</div>
    </dialog>
  );
}
