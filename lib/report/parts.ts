/** Parts that several sections of the page have. */
import { type Html, html } from './escape.ts';
import { shortened } from './words.ts';

/** A section with a heading; a wide one takes the whole width. */
export function panel(id: string, title: string, content: Html, width: 'half' | 'wide' = 'half'): Html {
  return html`<section class="panel ${width}" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${content}
</section>`;
}

const KNOWN = ['critical', 'high', 'medium', 'low'];

/** A level such as HIGH; its colour only repeats its word. */
export function pill(level: string | undefined): Html | undefined {
  if (level === undefined) return undefined;
  const known = KNOWN.find((each) => each === level.toLowerCase()) ?? 'other';
  return html`<span class="pill ${known}">${shortened(level, 40)}</span>`;
}

/** Text of others, as it was written. */
export function quoted(text: string, most: number): Html {
  return html`<blockquote dir="auto">${shortened(text, most)}</blockquote>`;
}
