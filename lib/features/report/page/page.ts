/** The frame of a page: one HTML file without scripts and network requests. */
import { type Html, html } from './escape.ts';
import { SIMULATED_STYLE, STYLE } from './style.ts';

/** Content security policy: inline styles only. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
const MAX_TITLE_LENGTH = 160;

export interface Page {
  /** Subject of the page; shortened. */
  readonly title: string;
  /** Such as `AI red-team report`. */
  readonly kind: string;
  readonly simulated: boolean;
  /** Rules beside those of all pages. */
  readonly style?: Html;
  readonly banners: readonly (Html | undefined)[];
  readonly main: Html;
}

/** Renders a page. It is well-formed XML too, so that strict parsers accept it. */
export function pageOf({ title, kind, simulated, style, banners, main }: Page): string {
  const page = html`<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="${POLICY}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<meta name="referrer" content="no-referrer"/>
<meta name="robots" content="noindex"/>
<link rel="icon" href="data:,"/>
<title>${simulated ? 'SIMULATED: ' : ''}${title.slice(0, MAX_TITLE_LENGTH)} - ${kind}</title>
<style>${STYLE}${style}${simulated ? SIMULATED_STYLE : undefined}</style>
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
