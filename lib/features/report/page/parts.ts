/** Elements that several parts of the pages share. */
import { type Interval, intervalText } from '../chance.ts';
import type { Attack } from '../model.ts';
import { type Html, html } from './escape.ts';
import { figure, MISSING, name, shortened } from './format.ts';

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

/** Quotes untrusted text verbatim. @param side such as `target threat`, for the style */
export function quote(label: string, text: string, side: string, most: number): Html {
  return html`<figure class="quote ${side}"><figcaption>${label}</figcaption><blockquote dir="auto">${shortened(text, most)}</blockquote></figure>`;
}

/** Renders a classification, from general to specific. */
export function path(where: readonly string[]): Html {
  if (where.length === 0) return html`Attack`;
  return html`${where.map((part, index) => html`${index === 0 ? undefined : html` <span aria-hidden="true">›</span> `}${name(part)}`)}`;
}

/** Renders the mark that a user set. */
export function safeMark({ markedSafe }: Pick<Attack, 'markedSafe'>): Html | undefined {
  return markedSafe ? html`<span class="pill other">marked as safe</span>` : undefined;
}

export function table(columns: readonly (string | undefined)[], rows: readonly Html[], note?: Html): Html {
  const heads = columns.map((title) => (title === undefined ? undefined : html`<th scope="col">${title}</th>`));
  return html`<table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table>${note}`;
}

export function header(kind: string, title: Html | readonly Html[], rows: readonly (readonly [string, Html])[]): Html {
  return html`<header class="top"><p class="eyebrow">${kind}</p><h1>${title}</h1>
${facts(rows)}</header>`;
}

export function facts(rows: readonly (readonly [term: string, value: Html])[]): Html {
  return html`<dl class="facts">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Renders the interval of a rate; nothing if it is not known. */
export function intervalLine(interval: Interval | undefined): Html | undefined {
  return interval === undefined ? undefined : html`<p class="small">95 % interval ${intervalText(interval)}</p>`;
}

export interface Tile {
  readonly term: string;
  readonly value: number | undefined;
  readonly hint: string;
  /** Class of the number. */
  readonly kind?: string | undefined;
}

/** Renders large numbers with what they count. */
export function tiles(list: readonly Tile[]): Html {
  const tile = ({ term, value, hint, kind }: Tile) =>
    html`<div><dt>${term}</dt><dd class="${kind ?? ''}">${value === undefined ? MISSING : figure(value)} <i>${hint}</i></dd></div>`;
  return html`<dl class="tiles">${list.map(tile)}</dl>`;
}
