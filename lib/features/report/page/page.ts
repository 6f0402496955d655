/** The frame of a page (one HTML file without scripts or network requests), and the elements that pages share. */

import { type Interval, intervalText } from '../../scans/chance.ts';
import { type Html, html } from '../../scans/escape.ts';
import { counted, figure, MISSING, moment, name, shortenedHtml } from '../../scans/format.ts';
import { SCAN_MARK } from '../../scans/open-page.ts';
import type { Attack, MissingPart, ReportData } from '../../scans/report-data.ts';
import { SIMULATED_STYLE, STYLE, sheetStyle } from './style.ts';

/** Content security policy: inline styles only. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
const MAX_TITLE_LENGTH = 160;
const MAX_REASON_LENGTH = 400;

interface Page {
  /** Subject of the page, shortened if it is long. */
  readonly title: string;
  /** Such as `AI red-team report`; printed at the bottom of each sheet. */
  readonly kind: string;
  readonly simulated: boolean;
  /** Id of the scan on the page, by which a dashboard finds the page. */
  readonly scan?: string | undefined;
  /** Style rules in addition to the rules of all pages. */
  readonly style?: Html;
  readonly banners: readonly (Html | undefined)[];
  readonly main: Html;
}

/** Renders a page as well-formed XML, so that strict parsers accept it too. */
export function pageOf({ title, kind, scan, simulated, style, banners, main }: Page): string {
  const page = html`<html lang="en">
<head>
<meta charset="utf-8"/>${scan === undefined ? undefined : html`<meta name="${SCAN_MARK}" content="${scan}"/>`}
<meta http-equiv="Content-Security-Policy" content="${POLICY}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<meta name="referrer" content="no-referrer"/>
<meta name="robots" content="noindex"/>
<link rel="icon" href="data:,"/>
<title>${simulated ? 'SIMULATED: ' : ''}${title.slice(0, MAX_TITLE_LENGTH)} - ${kind}</title>
<style>${STYLE}${sheetStyle(kind)}${style}${simulated ? SIMULATED_STYLE : undefined}</style>
</head>
<body>
<header>${simulated ? html`<p class="banner simulated"><b>SIMULATED</b> Answered by the simulated service, not by a tenant.</p>` : undefined}${banners}</header>
<main>
${main}
</main>
</body>
</html>
`;
  return `<!DOCTYPE html>\n${page.toString()}`;
}

/** Renders the warning about parts that could not be read, which the notes list. */
export function incompleteBanner(missing: readonly { readonly failed: boolean }[]): Html | undefined {
  return missing.some(({ failed }) => failed)
    ? html`<p class="banner partial"><b>INCOMPLETE</b> Not everything could be read: see <a href="#notes">about this report</a>.</p>`
    : undefined;
}

/**
 * Renders the end of a page: explanations, missing parts and origin. @param more explanations of the numbers @param
 * subject of the page
 */
export function notesSection(
  { missing, createdAt, version, simulated }: Pick<ReportData, 'missing' | 'createdAt' | 'version' | 'simulated'>,
  more: readonly Html[],
  subject: Html,
): Html {
  return html`<section class="panel wide notes" id="notes" aria-labelledby="notes-title"><h2 id="notes-title">About this report</h2>
<ul>
${more.map((each) => html`<li>${each}</li>`)}
${grouped(missing).map(missingItem)}
<li>Characters that cannot be seen are written as <code>&lt;U+202E&gt;</code>. Other texts are shown as they were, cut where they are long.</li>
</ul>
<footer><p>Made by aisec ${version} on ${moment(new Date(createdAt).toISOString())} for ${subject}${simulated ? ', from answers of the simulated service' : undefined}.</p></footer></section>`;
}

/** Explains the numbers of a red-team scan. */
export const RED_TEAM_TERMS: readonly Html[] = [
  html`<b>Attack success rate</b>: the share of attacks in which the target did what it should not have done.`,
  html`<b>Interval</b>: Wilson’s interval of the rate at 95 % confidence, as if the attacks were a random sample of all such attacks. It is left out where the rate is not a share of the attacks that are counted.`,
  html`<b>Risk score</b>: from 0, the best, to 100, the worst, as the service rates the scan.`,
];

/** Groups equal missing parts, and counts them. */
function grouped(missing: readonly MissingPart[]): readonly (MissingPart & { times: number })[] {
  const whats = [...new Set(missing.map(({ what }) => what))];
  return whats.flatMap((what) => {
    const same = missing.filter((each) => each.what === what);
    const [first] = same;
    return first === undefined ? [] : [{ ...first, times: same.length }];
  });
}

function missingItem({ what, why, failed, times }: MissingPart & { times: number }): Html {
  const often = times === 1 ? undefined : ` (${counted(times, 'time')})`;
  return html`<li class="loss"><b>${what}</b> ${failed ? 'could not be read' : 'is not there'}${often}: ${shortenedHtml(why, MAX_REASON_LENGTH)}</li>`;
}

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
  return html`<span class="pill ${known}">${shortenedHtml(level, 40)}</span>`;
}

/** Quotes untrusted text verbatim. @param side such as `target threat`, for the style */
export function quote(label: string, text: string, side: string, most: number): Html {
  return html`<figure class="quote ${side}"><figcaption>${label}</figcaption><blockquote dir="auto">${shortenedHtml(text, most)}</blockquote></figure>`;
}

/** Renders a classification, from general to specific. */
export function classification(where: readonly string[]): Html {
  if (where.length === 0) return html`Attack`;
  return html`${where.map((part, index) => html`${index === 0 ? undefined : html` <span aria-hidden="true">›</span> `}${name(part)}`)}`;
}

/** Renders the mark that a user set. */
export function safeMark({ markedSafe }: Pick<Attack, 'markedSafe'>): Html | undefined {
  return markedSafe ? html`<span class="pill other">marked as safe</span>` : undefined;
}

export function htmlTable(columns: readonly (string | undefined)[], rows: readonly Html[], note?: Html): Html {
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

/** Renders the interval of a rate; returns nothing if it is unknown. */
export function intervalLine(interval: Interval | undefined): Html | undefined {
  return interval === undefined ? undefined : html`<p class="small">95 % interval ${intervalText(interval)}</p>`;
}

export interface Tile {
  readonly term: string;
  readonly value: number | undefined;
  readonly hint: string;
  /** CSS class of the number. */
  readonly kind?: string | undefined;
}

/** Renders large numbers, each with what it counts. */
export function tiles(list: readonly Tile[]): Html {
  const tile = ({ term, value, hint, kind }: Tile) =>
    html`<div><dt>${term}</dt><dd class="${kind ?? ''}">${value === undefined ? MISSING : figure(value)} <i>${hint}</i></dd></div>`;
  return html`<dl class="tiles">${list.map(tile)}</dl>`;
}
