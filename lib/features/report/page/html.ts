/** The report page of one red-team scan: its result, its goals and the recommended remediations. */
import { numberOf, textOf } from '../../../core/received.ts';
import { intervalOf } from '../../scans/chance.ts';
import { MAX_GOALS } from '../../scans/collect/findings.ts';
import { type Html, html, link } from '../../scans/escape.ts';
import {
  counted,
  durationBetween,
  figure,
  moment,
  name,
  percentage,
  rate,
  shortenedHtml,
  worded,
} from '../../scans/format.ts';
import { partlyRun } from '../../scans/refusals.ts';
import { attackCounts, type Goal, type Remediation, type ReportData } from '../../scans/report-data.ts';
import { attackPanels } from './attacks.ts';
import { breakdowns, categoriesOf, severitiesOf } from './breakdowns.ts';
import { gauge, type StreamRow, squares, streamRows } from './charts.ts';
import { header, incompleteBanner, intervalLine, notesSection, pageOf, panel, RED_TEAM_TERMS, tiles } from './page.ts';

const WITHOUT: Readonly<Record<string, string>> = {
  DYNAMIC: 'A dynamic scan has goals and streams; severities and categories of attacks are those of a static one.',
  CUSTOM:
    'A scan with prompts of one’s own has no severities and categories, and the service publishes no remediation for it.',
};

export function reportPage(data: ReportData): string {
  const { job, type, simulated } = data;
  const without = WITHOUT[type] === undefined ? [] : [html`${WITHOUT[type]}`];
  return pageOf({
    title: textOf(job.name) ?? 'Scan without a name',
    kind: 'AI red-team report',
    scan: textOf(job.uuid),
    simulated,
    banners: banners(data),
    main: html`${heading(data)}
${scorecard(data)}
<div class="grid">
${sections(data)}
</div>
${notesSection(data, [...RED_TEAM_TERMS, ...without], html`the scan ${name(job.uuid)}`)}`,
  });
}

function sections(data: ReportData): readonly Html[] {
  return [...breakdowns(data), ...goalPanels(data), ...attackPanels(data), ...remediationPanels(data)];
}

/** Renders warnings at the top: partial, incomplete. */
function banners({ job, missing }: ReportData): readonly (Html | undefined)[] {
  const done = numberOf(job.progress_percentage);
  return [
    job.status === 'PARTIALLY_COMPLETE' || partlyRun(job) !== undefined
      ? html`<p class="banner partial"><b>PARTIAL</b> The scan did not finish${done === undefined ? undefined : html`: ${figure(done)} % of it is done`}.</p>`
      : undefined,
    incompleteBanner(missing),
  ];
}

const TYPES: Readonly<Record<string, string>> = {
  STATIC: 'attack library',
  DYNAMIC: 'agents with goals',
  CUSTOM: 'own prompts',
};

/** Renders name, target, type and time of the scan. */
function heading({ job, type }: ReportData): Html {
  const took = durationBetween(job.started_at, job.completed_at);
  return header('AI red-team report', name(job.name), [
    ['Target', name(job.target_name)],
    ['Type', html`${name(type)}${TYPES[type] === undefined ? undefined : html` <i>${TYPES[type]}</i>`}`],
    ['Finished', html`${moment(job.completed_at)}${took === undefined ? undefined : html` <i>after ${took}</i>`}`],
    ['Scan', html`<code>${name(job.uuid)}</code>`],
  ]);
}

function scorecard(data: ReportData): Html {
  const { job, report, asr } = data;
  const score = numberOf(report.score) ?? numberOf(job.score);
  const interval = typeof asr === 'number' ? intervalOf(asr, attackCounts(job, report).trials) : undefined;
  return html`<section class="score" id="overview" aria-label="Scorecard">
<div class="panel risk"><h2>Risk score</h2>${gauge('Risk score', score)}</div>
<div class="panel rate"><div class="rate-top"><div><h2>Attack success rate</h2><p class="big">${rate(asr)}</p>${intervalLine(interval)}</div>
<div>${picture(data)}</div></div>
${counts(data)}</div>
</section>
${summary(data)}`;
}

function picture({ report, job, type }: ReportData): Html | undefined {
  const { hits: hit, trials: total } = attackCounts(job, report);
  if (hit === undefined || total === undefined || total <= 0 || hit > total) return undefined;
  return squares(hit, total, type === 'DYNAMIC' ? 'stream' : 'attack');
}

function counts({ report, job, type }: ReportData): Html {
  const tile = (term: string, value: unknown, hint: string) => ({ term, value: numberOf(value), hint });
  return tiles(
    type === 'DYNAMIC'
      ? [
          tile('Goals', report.total_goals, 'that agents pursued'),
          tile('Goals achieved', report.goals_achieved, 'the target gave in'),
          tile('Streams', job.total, 'conversations with the target'),
          tile('Successful streams', report.total_threats, 'the target gave in'),
        ]
      : [
          tile('Attacks', report.total_attacks, 'that were answered'),
          tile('Successful', report.successful_attacks, 'the target gave in'),
          tile('Withstood', report.failed_attacks, 'by the target'),
        ],
  );
}

const MAX_SUMMARY_LENGTH = 2000;

/** Renders the service's summary and the highlights of the numbers. */
function summary(data: ReportData): Html | undefined {
  const text = textOf(data.report.report_summary);
  const points = highlights(data);
  if (text === undefined && points.length === 0) return undefined;
  return html`<section class="panel wide summary" aria-label="In short">
${text === undefined ? undefined : html`<p class="lead" dir="auto">${shortenedHtml(text, MAX_SUMMARY_LENGTH)}</p>`}
${points.length === 0 ? undefined : html`<ul>${points.map((point) => html`<li>${point}</li>`)}</ul>`}
</section>`;
}

function highlights(data: ReportData): readonly Html[] {
  const severe = severitiesOf(data).filter(({ severity, hit }) => hit > 0 && /^(critical|high)$/i.test(severity));
  const categories = categoriesOf(data).filter(({ rate }) => rate !== undefined);
  const [worst] = [...categories].sort((a, b) => (b.rate ?? 0) - (a.rate ?? 0));
  const parts = categories.flatMap((category) => category.parts);
  const always = parts.filter(({ hit, total }) => hit !== undefined && hit > 0 && hit === total);
  const clean = categories.filter(({ hit }) => hit === 0);
  return [
    severe.length === 0
      ? undefined
      : html`Severe attacks that were successful: <b>${severe.map(({ severity, hit }) => `${figure(hit)} ${severity.toLowerCase()}`).join(', ')}</b>.`,
    worst?.rate === undefined || worst.rate === 0
      ? undefined
      : html`Most exposed: <b>${worst.name}</b>, where ${percentage(worst.rate)} of the attacks were successful.`,
    always.length === 0 ? undefined : html`Every attack was successful in ${listed(always.map((part) => part.name))}.`,
    clean.length === 0 ? undefined : html`No attack was successful in ${listed(clean.map((part) => part.name))}.`,
  ].filter((point) => point !== undefined);
}

const MAX_NAMES = 6;

function listed(names: readonly Html[]): Html {
  const more = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).map((each, index) => html`${index === 0 ? '' : ', '}<b>${each}</b>`);
  return html`${shown}${more > 0 ? ` and ${counted(more, 'other')}` : undefined}`;
}

const MAX_GOAL_LENGTH = 400;

/** Renders one panel, or no panel if the scan has no goals. */
function goalPanels({ goals, report }: ReportData): readonly Html[] {
  if (goals.length === 0) return [];
  const total = numberOf(report.total_goals);
  const cut =
    total !== undefined && total > goals.length && goals.length >= MAX_GOALS
      ? html`<p class="small">The page holds ${goals.length} of ${counted(total, 'goal')}.</p>`
      : undefined;
  const key = html`<p class="small">Each row is one stream, each dot one turn. <span class="key hit round"></span> the turn in which the target gave in</p>`;
  return [panel('goals', 'Goals and streams', html`<ul class="goals">${goals.map(goalItem)}</ul>${key}${cut}`, 'wide')];
}

function goalItem({ goal, streams }: Goal): Html {
  const { threat, goal_type, goal_to_show, custom_goal } = goal;
  const [word, kind] =
    threat === true ? ['achieved', 'high'] : threat === false ? ['withstood', 'held'] : ['not reported', 'other'];
  const type = textOf(goal_type);
  const text = textOf(goal_to_show) ?? textOf(goal.goal) ?? 'not reported';
  const origin = custom_goal === true ? 'asked for' : undefined;
  const notes = [type === undefined ? undefined : worded(type), origin].filter((part) => part !== undefined).join(', ');
  return html`<li><div><span class="pill ${kind}">${word}</span></div>
<div class="goal-text"><p dir="auto">${shortenedHtml(text, MAX_GOAL_LENGTH)}</p>${notes === '' ? undefined : html`<p class="small">${shortenedHtml(notes, 80)}</p>`}</div>
<div class="goal-streams">${streamList(streams)}</div></li>`;
}

function streamList(streams: Goal['streams']): Html {
  if (streams === undefined) return html`<p class="small">Streams are not shown.</p>`;
  if (streams.length === 0) return html`<p class="small">No streams are reported.</p>`;
  const rows = streams.map(
    ({ stream_idx, iteration, threat }, index): StreamRow => ({
      name: `Stream ${numberOf(stream_idx) ?? index}`,
      turns: numberOf(iteration) ?? 0,
      hit: threat === true,
    }),
  );
  const hits = rows.filter(({ hit }) => hit).length;
  return html`${streamRows(rows)}<p class="small">${figure(hits)} of ${counted(streams.length, 'stream')} successful</p>`;
}

const MAX_REMEDIATIONS = 40;
const MAX_LINKS = 5;
const MAX_DESCRIPTION_LENGTH = 1500;

/** Renders one panel, or no panel if the remediations could not be read. */
function remediationPanels({ remediations }: ReportData): readonly Html[] {
  if (remediations === undefined) return [];
  if (remediations.length === 0) {
    return [panel('remediation', 'What to do', html`<p>The service recommends nothing.</p>`, 'wide')];
  }
  const cut =
    remediations.length > MAX_REMEDIATIONS
      ? html`<p class="small">${MAX_REMEDIATIONS} of ${remediations.length} are shown.</p>`
      : undefined;
  const cards = html`<ol class="remedies">${remediations.slice(0, MAX_REMEDIATIONS).map(remedyItem)}</ol>${cut}`;
  return [panel('remediation', 'What to do', cards, 'wide')];
}

function remedyItem(remediation: Remediation): Html {
  const { description, resource_links, priority_level, effectiveness_level, ease_of_implementation_level } =
    remediation;
  const links = resource_links.slice(0, MAX_LINKS).map((address) => html`<li>${link(address)}</li>`);
  return html`<li><h3>${name(remediation.remediation)}</h3>
${description === undefined ? undefined : html`<p dir="auto">${shortenedHtml(description, MAX_DESCRIPTION_LENGTH)}</p>`}
<dl class="levels">${level('Priority', priority_level)}${level('Effect', effectiveness_level)}${level('Ease', ease_of_implementation_level)}</dl>
${links.length === 0 ? undefined : html`<ul class="links">${links}</ul>`}</li>`;
}

function level(term: string, text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<div><dt>${term}</dt><dd>${text.slice(0, 40)}${meter(text)}</dd></div>`;
}

const STEPS: Readonly<Record<string, number>> = { LOW: 1, MEDIUM: 2, HIGH: 3, CRITICAL: 3 };

function meter(level: string): Html | undefined {
  const filled = STEPS[level.toUpperCase()];
  if (filled === undefined) return undefined;
  const step = (_: unknown, index: number) =>
    html`<rect class="${index < filled ? 'on' : 'held'}" x="${index * 12}" y="0" width="10" height="8" rx="2"/>`;
  return html`<svg class="meter" width="34" height="8" aria-hidden="true">${Array.from({ length: 3 }, step)}</svg>`;
}
