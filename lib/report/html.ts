/** The page: one file without script and without network, for people who would rather look than read. */
import { attackPanels } from './attacks.ts';
import { breakdowns } from './breakdowns.ts';
import { type Html, html } from './escape.ts';
import { goalPanels } from './goals.ts';
import type { ReportData } from './model.ts';
import { notes } from './notes.ts';
import { promptSetPanels } from './prompt-sets.ts';
import { remedyPanels } from './remedies.ts';
import { heading, scorecard } from './scorecard.ts';
import { SIMULATED_STYLE, STYLE } from './style.ts';
import { figure, numberOf, textOf } from './words.ts';

/** Nothing is loaded, nothing is run, nothing is sent; the styles are those of the page itself. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** The text of the page. It is well-formed as XML too, so that any reader takes it. */
export function reportPage(data: ReportData): string {
  const { job, simulated } = data;
  const title = (textOf(job['name']) ?? 'Scan without a name').slice(0, 160);
  const page = html`<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="${POLICY}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<meta name="referrer" content="no-referrer"/>
<meta name="robots" content="noindex"/>
<link rel="icon" href="data:,"/>
<title>${simulated ? 'SIMULATED: ' : ''}${title} - AI red-team report</title>
<style>${STYLE}${simulated ? SIMULATED_STYLE : undefined}</style>
</head>
<body>
${banners(data)}
<main>
${heading(data)}
${scorecard(data)}
<div class="grid">
${sections(data)}
</div>
${notes(data)}
</main>
</body>
</html>
`;
  return `<!DOCTYPE html>\n${page.toString()}`;
}

function sections(data: ReportData): readonly Html[] {
  return [
    ...breakdowns(data),
    ...goalPanels(data),
    ...promptSetPanels(data),
    ...attackPanels(data),
    ...remedyPanels(data),
  ];
}

/** What has to be known before anything else is looked at. */
function banners({ job, simulated, losses }: ReportData): readonly (Html | undefined)[] {
  const done = numberOf(job['progress_percentage']);
  return [
    simulated
      ? html`<p class="banner simulated"><b>SIMULATED</b> Answered by the simulated service, not by a tenant.</p>`
      : undefined,
    job['status'] === 'PARTIALLY_COMPLETE'
      ? html`<p class="banner partial"><b>PARTIAL</b> The scan did not finish${done === undefined ? undefined : html`: ${figure(done)} % of it is done`}.</p>`
      : undefined,
    losses.some(({ failed }) => failed)
      ? html`<p class="banner partial"><b>INCOMPLETE</b> Not everything could be read: see <a href="#notes">about this report</a>.</p>`
      : undefined,
  ];
}
