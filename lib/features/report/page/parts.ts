/** Shared elements of the page. */
import { type Html, html } from './escape.ts';
import { shortened } from './format.ts';

/** Renders a section with a heading. */
export function panel(id: string, title: string | Html, content: Html, width: 'half' | 'wide' = 'half'): Html {
  return html`<section class="panel ${width}" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${content}
</section>`;
}

const KNOWN = ['critical', 'high', 'medium', 'low'];

/** Renders a level such as HIGH; its colour adds no information. */
export function pill(level: string | undefined): Html | undefined {
  if (level === undefined) return undefined;
  const known = KNOWN.find((each) => each === level.toLowerCase()) ?? 'other';
  return html`<span class="pill ${known}">${shortened(level, 40)}</span>`;
}

/** Quotes untrusted text verbatim. */
export function quoted(text: string, most: number): Html {
  return html`<blockquote dir="auto">${shortened(text, most)}</blockquote>`;
}
