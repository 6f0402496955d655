/** The list of offers over the page, which moves nothing. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { list, takeOffer } from './completion.ts';

export const LIST_ID = 'line-offers';
export const offerId = (at: number) => `line-offer-${at}`;

/** Space that the list needs below the line, in pixels. */
const SPACE = 260;

/** Shows the offers, above the line if there is no space below. */
export function OfferList() {
  const element = useRef<HTMLDivElement>(null);
  const { offers = [], active = -1 } = list.value ?? {};
  useLayoutEffect(() => {
    const line = element.current?.parentElement?.getBoundingClientRect();
    if (line !== undefined) element.current?.classList.toggle('above', innerHeight - line.bottom < SPACE);
  }, [offers]);
  useLayoutEffect(() => {
    document.getElementById(offerId(active))?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  if (offers.length === 0) return <div id={LIST_ID} hidden />;
  return (
    <div id={LIST_ID} class="offers" role="listbox" aria-label="Completions" ref={element}>
      {offers.map((offer, at) => (
        <div
          key={offer.text}
          id={offerId(at)}
          class="picker-item"
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          // A press must not take the focus from the line.
          onMouseDown={(event) => {
            event.preventDefault();
            takeOffer(offer);
          }}
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
