/** The page of a comparison: two scans side by side. */
import { textOf } from '../../../core/received.ts';
import { scanInterval } from '../../scans/chance.ts';
import type { ComparisonData, Side } from '../../scans/collect/collect-comparison.ts';
import { type Html, html } from '../../scans/escape.ts';
import { counted, figure, MISSING, moment, name, percentage } from '../../scans/format.ts';
import { chanceIn, chanceText, changeOf, commonOf, nounOf, remarksOn } from '../comparison-summary.ts';
import { comparisonPanels } from './attacks.ts';
import { gauge } from './charts.ts';
import { historyOf } from './history-chart.ts';
import {
  facts,
  header,
  incompleteBanner,
  intervalLine,
  notesSection,
  pageOf,
  panel,
  RED_TEAM_TERMS,
  type Tile,
  tiles,
} from './page.ts';
import { COMPARISON_STYLE } from './style.ts';

export function comparisonPage(data: ComparisonData): string {
  const { before, after, simulated, missing } = data;
  const target = textOf(after.job.target_name) ?? 'Target without a name';
  return pageOf({
    title: `Two scans of ${target}`,
    kind: 'AI red-team comparison',
    simulated,
    style: COMPARISON_STYLE,
    banners: [incompleteBanner(missing)],
    main: html`${heading(data)}
${outcome(data)}
<div class="sides">
${side('first', 'First scan', data, before)}
${side('second', 'Second scan', data, after, before)}
</div>
<div class="grid">
${histories(data)}
${comparisonPanels(data)}
</div>
${notesSection(data, [...RED_TEAM_TERMS, ...EXPLAINED], html`the scans ${name(before.job.uuid)} and ${name(after.job.uuid)}`)}`,
  });
}

const EXPLAINED: readonly Html[] = [
  html`Two attacks are the same if the target was sent the same text; an identifier that both scans share tells apart attacks with equal texts.`,
  html`<b>Newly successful</b> and <b>fixed</b> are attacks with an answer in both scans. What one of them did not run, or what got no answer, is not comparable.`,
  html`A difference is <b>within chance</b> if it would be as large in at least 5 of 100 repetitions without any change: by the exact McNemar test of the attacks in both scans, or by Fisher’s exact test of all attacks where most are in one scan only.`,
  html`An attack that a scan has several times counts once, as successful if one of them was.`,
];

function heading({ type, before, after, sameTarget }: ComparisonData): Html {
  const targets = sameTarget ? [after] : [before, after];
  const title = targets.map(({ job }, index) => html`${index === 0 ? undefined : ' and '}${name(job.target_name)}`);
  return header('AI red-team comparison', html`Two scans of ${title}`, [['Type', name(type)]]);
}

function outcome(data: ComparisonData): Html {
  const { new: added, fixed, open, withstood, incomparable } = data.comparison;
  const tile = (term: string, { length: value }: readonly unknown[], hint: string, kind?: string): Tile => ({
    ...{ term, value, hint },
    kind: value > 0 ? kind : undefined,
  });
  const counts = [
    tile('Newly successful', added, 'withstood before', 'bad'),
    tile('Fixed', fixed, 'successful before', 'well'),
    tile('Still open', open, 'successful in both'),
    tile('Withstood', withstood, 'in both'),
    tile('Not comparable', incomparable, 'an outcome is missing'),
  ];
  const { attacks, before, after } = commonOf(data.comparison);
  const common = `Of the ${counted(attacks, nounOf(data.type))} in both scans, ${figure(before)} succeeded in the first and ${figure(after)} in the second.`;
  const chance = chanceIn(data);
  const remarks = [
    ...(chance === undefined ? [] : [`The difference of the success rates is ${chanceText(chance)}.`]),
    ...remarksOn(data),
    ...(incomparable.length === 0 || attacks === 0 ? [] : [common]),
  ];
  return html`<section class="panel outcome" id="outcome" aria-label="Outcome">${remarks.length === 0 ? undefined : html`<ul>${remarks.map((remark) => html`<li>${remark}</li>`)}</ul>`}
${tiles(counts)}</section>`;
}

function side(id: string, title: string, { type }: ComparisonData, own: Side, earlier?: Side): Html {
  const { job, asr, score, tested } = own;
  const noun = nounOf(type);
  const hit = tested.filter((each) => each.outcome === 'successful').length;
  const head = facts([
    ['Finished', moment(job.completed_at)],
    ['Successful', html`${figure(hit)} of ${counted(tested.length, noun)}`],
    ['Scan', html`<code>${name(job.uuid)}</code>`],
  ]);
  return html`<section class="panel side" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title"><i>${title}</i>${name(job.name)}</h2>
${head}
<div><h3>Risk score</h3>${gauge('Risk score', score, earlier === undefined)}${delta(earlier?.score, score, 'point')}</div>
<div><h3>Attack success rate</h3><p class="big">${asr === undefined ? MISSING : percentage(asr)}</p>${intervalLine(scanInterval({ ...job, asr }))}${delta(earlier?.asr, asr, 'percentage point')}</div></section>`;
}

/** Renders a change; a rise is worse. */
function delta(before: number | undefined, after: number | undefined, unit: string): Html | undefined {
  const change = changeOf(before, after);
  if (change === undefined) return undefined;
  if (change === 0) return html`<span class="delta">unchanged</span>`;
  const words = `${counted(Math.abs(change), unit)} ${change > 0 ? 'more' : 'less'}`;
  return html`<span class="delta ${change > 0 ? 'worse' : 'better'}">${words}</span>`;
}

function histories({ histories: all, before, after, type }: ComparisonData): readonly Html[] {
  const compared = { first: String(before.job.uuid), second: String(after.job.uuid) };
  return all.map((history, index) => {
    const title = html`${name(type)} scans of ${name(history.target)}`;
    const searched =
      history.searched === undefined
        ? undefined
        : html`<p class="small">The newest ${figure(history.searched)} scans of the tenant were searched.</p>`;
    return panel(`history-${index + 1}`, title, html`${historyOf(history, compared)}${searched}`, 'wide');
  });
}
