/** The list of offers over the page, which moves nothing. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { list, takeOffer } from './completion.ts';
import type { Offer } from './text.ts';

export const LIST_ID = 'line-offers';
export const offerId = (at: number) => `line-offer-${at}`;

/** Space that the list needs below the line, in pixels. */
const SPACE = 260;

/** Shows the offers, above the line if there is no space below. */
export function OfferList() {
  const { offers = [], active = -1 } = list.value ?? {};
  return (
    <>
      <p role="status" class="hidden">
        {offers.length === 0 ? '' : `${offers.length} offers. Down chooses, Tab takes.`}
      </p>
      {offers.length === 0 ? <div id={LIST_ID} hidden /> : <Offers offers={offers} active={active} />}
    </>
  );
}

/** A press must not take the focus from the line. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}

interface OffersProps {
  readonly offers: readonly Offer[];
  readonly active: number;
}

function Offers({ offers, active }: OffersProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const line = element.current?.parentElement?.getBoundingClientRect();
    if (line !== undefined) element.current?.classList.toggle('above', innerHeight - line.bottom < SPACE);
  }, [offers]);
  useLayoutEffect(() => {
    document.getElementById(offerId(active))?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div id={LIST_ID} class="offers" role="listbox" aria-label="Completions" ref={element} onMouseDown={keepFocus}>
      {offers.map((offer, at) => (
        <div
          key={offer.text}
          id={offerId(at)}
          class="picker-item"
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          onMouseDown={() => takeOffer(offer)}
        >
          <bdi class="offer-text">{offer.text.trim()}</bdi>
          {offer.description === undefined ? undefined : (
            <bdi class="soft" title={offer.description}>
              {offer.description}
            </bdi>
          )}
        </div>
      ))}
    </div>
  );
}
