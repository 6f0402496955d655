/** A list from which the arrow keys of a field choose. */
import { useLayoutEffect } from 'preact/hooks';
import type { Offer } from './text.ts';

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
          <code dir="auto">{offer.text.trim()}</code> <bdi class="soft">{offer.description}</bdi>
        </div>
      ))}
    </div>
  );
}
