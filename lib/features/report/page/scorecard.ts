/** Renders the head of the page: the tested target and the result. */
import { numberOf, textOf } from '../../../core/received.ts';
import { intervalOf } from '../chance.ts';
import { countsOf } from '../counts.ts';
import type { ReportData } from '../model.ts';
import { categoriesOf, severitiesOf } from './breakdowns.ts';
import { gauge, squares } from './charts.ts';
import { type Html, html } from './escape.ts';
import { counted, duration, figure, moment, name, percentage, rate, shortened } from './format.ts';
import { header, intervalLine, tiles } from './parts.ts';

const TYPES: Readonly<Record<string, string>> = {
  STATIC: 'attack library',
  DYNAMIC: 'agents with goals',
  CUSTOM: 'own prompts',
};

/** Renders name, target, type and time of the scan. */
export function heading({ job, type }: ReportData): Html {
  const took = duration(job.started_at, job.completed_at);
  return header('AI red-team report', name(job.name), [
    ['Target', name(job.target_name)],
    ['Type', html`${name(type)}${TYPES[type] === undefined ? undefined : html` <i>${TYPES[type]}</i>`}`],
    ['Finished', html`${moment(job.completed_at)}${took === undefined ? undefined : html` <i>after ${took}</i>`}`],
    ['Scan', html`<code>${name(job.uuid)}</code>`],
  ]);
}

export function scorecard(data: ReportData): Html {
  const { job, report, asr } = data;
  const score = numberOf(report.score) ?? numberOf(job.score);
  const interval = typeof asr === 'number' ? intervalOf(asr, countsOf(job, report).trials) : undefined;
  return html`<section class="score" id="overview" aria-label="Scorecard">
<div class="panel risk"><h2>Risk score</h2>${gauge('Risk score', score)}</div>
<div class="panel rate"><div class="rate-top"><div><h2>Attack success rate</h2><p class="big">${rate(asr)}</p>${intervalLine(interval)}</div>
<div>${picture(data)}</div></div>
${counts(data)}</div>
</section>
${summary(data)}`;
}

function picture({ report, job, type }: ReportData): Html | undefined {
  const { hits: hit, trials: total } = countsOf(job, report);
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
${text === undefined ? undefined : html`<p class="lead" dir="auto">${shortened(text, MAX_SUMMARY_LENGTH)}</p>`}
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
