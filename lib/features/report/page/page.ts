/** The frame of a page: one HTML file without scripts and network requests. */
import type { MissingPart, ReportData } from '../model.ts';
import { type Html, html } from './escape.ts';
import { counted, moment, shortened } from './format.ts';
import { SIMULATED_STYLE, STYLE, sheetStyle } from './style.ts';

/** Content security policy: inline styles only. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
const MAX_TITLE_LENGTH = 160;
const MAX_REASON_LENGTH = 400;

/** Name of the element that has the id of a page's scan. */
export const SCAN_MARK = 'aisec-scan';

export interface Page {
  /** Subject of the page; shortened. */
  readonly title: string;
  /** Such as `AI red-team report`; printed at the bottom of each sheet. */
  readonly kind: string;
  readonly simulated: boolean;
  /** Scan that the page shows, by which a dashboard finds it. */
  readonly scan?: string | undefined;
  /** Rules besides those of all pages. */
  readonly style?: Html;
  readonly banners: readonly (Html | undefined)[];
  readonly main: Html;
}

/** Renders a page. It is well-formed XML too, so that strict parsers accept it. */
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
${simulated ? html`<p class="banner simulated"><b>SIMULATED</b> Answered by the simulated service, not by a tenant.</p>` : undefined}${banners}
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
 * Renders the end of a page: explanations, missing parts and origin.
 * @param more explanations of the numbers @param subject what the page is made for
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
  html`<b>Risk score</b>: from 0, the least risk, to 100, the most, as the service rates the scan.`,
];

/** Groups equal missing parts with their number. */
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
  return html`<li class="loss"><b>${what}</b> ${failed ? 'could not be read' : 'is not there'}${often}: ${shortened(why, MAX_REASON_LENGTH)}</li>`;
}
