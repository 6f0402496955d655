/** The page of a comparison: two scans side by side. */

import type { ComparisonData, Side } from '../collect/collect-comparison.ts';
import { comparisonPanels } from '../comparison-attacks.ts';
import { changeOf, commonOf, nounOf, remarksOn } from '../comparison-summary.ts';
import { gauge } from './charts.ts';
import { COMPARISON_STYLE } from './comparison-style.ts';
import { type Html, html } from './escape.ts';
import { counted, figure, MISSING, moment, name, percentage, textOf } from './format.ts';
import { historyOf } from './history-chart.ts';
import { notesSection } from './notes.ts';
import { incompleteBanner, pageOf } from './page.ts';
import { panel } from './parts.ts';

/** Renders the page. */
export function comparisonPage(data: ComparisonData): string {
  const { before, after, simulated, missing } = data;
  const target = textOf(after.job['target_name']) ?? 'Target without a name';
  return pageOf({
    title: target,
    kind: 'AI red-team comparison',
    simulated,
    style: COMPARISON_STYLE,
    banners: [incompleteBanner(missing)],
    main: html`${heading(data)}
${outcome(data)}
<div class="sides">
${side('first', 'First scan', before)}
${side('second', 'Second scan', after, before)}
</div>
<div class="grid">
${histories(data)}
${comparisonPanels(data)}
</div>
${notesSection(data, EXPLAINED, html`the scans ${name(before.job['uuid'])} and ${name(after.job['uuid'])}`)}`,
  });
}

const EXPLAINED: readonly Html[] = [
  html`Two attacks are the same if the target was sent the same text; an identifier that both scans share tells apart attacks with equal texts.`,
  html`<b>Newly successful</b> and <b>fixed</b> are attacks with an answer in both scans. What one of them did not run, or what got no answer, is not comparable.`,
  html`An attack that a scan has several times counts once, as successful if one of them was.`,
];

function heading({ type, before, after, sameTarget }: ComparisonData): Html {
  const targets = sameTarget ? [after] : [before, after];
  const title = targets.map(({ job }, index) => html`${index === 0 ? undefined : ' and '}${name(job['target_name'])}`);
  return html`<header class="top"><p class="eyebrow">AI red-team comparison</p><h1>${title}</h1>
<dl class="facts"><div><dt>Type</dt><dd>${name(type)}</dd></div></dl></header>`;
}

function outcome(data: ComparisonData): Html {
  const { new: added, fixed, open, withstood, incomparable } = data.comparison;
  const rows: readonly (readonly [string, number, string, string | undefined])[] = [
    ['Newly successful', added.length, 'withstood before', added.length > 0 ? 'bad' : undefined],
    ['Fixed', fixed.length, 'successful before', fixed.length > 0 ? 'well' : undefined],
    ['Still open', open.length, 'successful in both', undefined],
    ['Withstood', withstood.length, 'in both', undefined],
    ['Not comparable', incomparable.length, 'an outcome is missing', undefined],
  ];
  const { attacks, before, after } = commonOf(data.comparison);
  const common = `Of the ${counted(attacks, nounOf(data.type))} in both scans, ${figure(before)} succeeded in the first and ${figure(after)} in the second.`;
  const remarks = [...remarksOn(data), ...(incomparable.length === 0 || attacks === 0 ? [] : [common])];
  const tile = ([term, count, hint, kind = '']: (typeof rows)[number]) =>
    html`<div><dt>${term}</dt><dd class="${kind}">${figure(count)} <i>${hint}</i></dd></div>`;
  return html`<section class="panel outcome" id="outcome" aria-label="Outcome"><dl class="tiles">${rows.map(tile)}</dl>
${remarks.length === 0 ? undefined : html`<ul>${remarks.map((remark) => html`<li>${remark}</li>`)}</ul>`}</section>`;
}

function side(id: string, title: string, { job, asr, score, tested }: Side, earlier?: Side): Html {
  const hit = tested.filter((each) => each.outcome === 'successful').length;
  const facts: readonly (readonly [string, Html])[] = [
    ['Finished', moment(job['completed_at'])],
    ['Successful', html`${figure(hit)} of ${figure(tested.length)}`],
    ['Scan', html`<code>${name(job['uuid'])}</code>`],
  ];
  return html`<section class="panel side" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title"><i>${title}</i>${name(job['name'])}</h2>
<dl class="facts">${facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
<div><h3>Risk score</h3>${gauge('Risk score', score, earlier === undefined)}${delta(earlier?.score, score)}</div>
<div><h3>Attack success rate</h3><p class="big">${asr === undefined ? MISSING : percentage(asr)}</p>${delta(earlier?.asr, asr)}</div></section>`;
}

/** Renders a change; a rise is worse. */
function delta(before: number | undefined, after: number | undefined): Html | undefined {
  const change = changeOf(before, after);
  if (change === undefined) return undefined;
  if (change === 0) return html`<span class="delta">unchanged</span>`;
  const words = `${figure(Math.abs(change))} ${change > 0 ? 'more' : 'less'}`;
  return html`<span class="delta ${change > 0 ? 'worse' : 'better'}">${words}</span>`;
}

function histories({ histories: all, before, after, type }: ComparisonData): readonly Html[] {
  const compared = { first: String(before.job['uuid']), second: String(after.job['uuid']) };
  return all.map((history, index) => {
    const title = html`${name(type)} scans of ${name(history.target)}`;
    const searched =
      history.searched === undefined
        ? undefined
        : html`<p class="small">The newest ${figure(history.searched)} scans of the tenant were searched.</p>`;
    return panel(`history-${index + 1}`, title, html`${historyOf(history, compared)}${searched}`, 'wide');
  });
}
