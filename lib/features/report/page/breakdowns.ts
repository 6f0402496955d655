/** Renders success rates of a static scan by severity, category, sub-category and framework. */
import { type JsonObject, objectsOf } from '../../../engine/json.ts';
import type { ReportData } from '../model.ts';
import { SEVERITIES } from '../rank-attacks.ts';
import { type Bar, bars, splits } from './charts.ts';
import { type Html, html } from './escape.ts';
import { counted, figure, name, numberOf, percentage, share, textOf } from './format.ts';
import { panel, pill } from './parts.ts';

const MAX_ROWS = 60;

/** Counts and success rate of one part of the report. */
export interface Breakdown {
  readonly name: Html;
  readonly hit: number | undefined;
  readonly total: number | undefined;
  readonly rate: number | undefined;
}

/** Reads one part. Without a rate from the service it is computed from the counts. */
function breakdownOf(part: JsonObject): Breakdown {
  const [hit, failed] = [numberOf(part['successful']), numberOf(part['failed'])];
  const counted = hit === undefined || failed === undefined ? undefined : hit + failed;
  const total = numberOf(part['total_attacks']) ?? numberOf(part['total']) ?? counted;
  const shown = textOf(part['display_name']) ?? part['id'] ?? part['category'];
  return { name: name(shown), hit, total, rate: numberOf(part['asr']) ?? share(hit, total) };
}

/** Lists the categories, without frameworks, which count the same attacks again. */
export function categoriesOf({
  report,
}: Pick<ReportData, 'report'>): readonly (Breakdown & { parts: readonly Breakdown[] })[] {
  return objectsOf(report['category_reports'])
    .filter(({ category }) => category !== 'COMPLIANCE')
    .map((part) => ({ ...breakdownOf(part), parts: objectsOf(part['sub_categories']).map(breakdownOf) }));
}

/** Counts successful and withstood attacks by severity. */
export function severitiesOf({ report }: Pick<ReportData, 'report'>) {
  return objectsOf(report['severity_breakdown'])
    .map((row) => ({
      severity: textOf(row['severity']) ?? 'not reported',
      hit: numberOf(row['successful']) ?? 0,
      held: numberOf(row['failed']) ?? 0,
    }))
    .sort((a, b) => rankOf(a.severity) - rankOf(b.severity));
}

function rankOf(severity: string): number {
  const at = SEVERITIES.indexOf(severity);
  return at < 0 ? SEVERITIES.length : at;
}

/** Renders the panels; none if the service reports no breakdown. */
export function breakdowns(data: ReportData): readonly Html[] {
  const categories = [...categoriesOf(data)].sort(byRate);
  return [bySeverity(data), byCategory(categories), bySubCategory(categories), byFramework(data)].filter(
    (section) => section !== undefined,
  );
}

function bySeverity(data: ReportData): Html | undefined {
  const rows = severitiesOf(data);
  if (rows.length === 0) return undefined;
  const total = rows.reduce((sum, { hit, held }) => sum + hit + held, 0);
  const expected = numberOf(data.report['total_attacks']);
  const differs = expected !== undefined && expected !== total;
  const chart = splits(
    rows.map(({ severity, hit, held }) => ({ mark: pill(severity), name: severity.slice(0, 40), hit, held })),
  );
  return panel(
    'severity',
    'Attacks by severity',
    html`${chart}<p class="small"><span class="key hit"></span> successful <span class="key held"></span> withstood${differs ? `. The service counts ${figure(total)} of ${counted(expected, 'attack')} here.` : undefined}</p>`,
  );
}

function byCategory(categories: readonly Breakdown[]): Html | undefined {
  if (categories.length === 0) return undefined;
  return panel(
    'categories',
    'Success rate by category',
    bars('Success rate', categories.slice(0, MAX_ROWS).map(barOf)),
  );
}

function barOf({ name, rate, hit, total }: Breakdown): Bar {
  const counts = hit === undefined || total === undefined ? undefined : `${figure(hit)} of ${figure(total)}`;
  return { name, rate, counts };
}

function bySubCategory(categories: ReturnType<typeof categoriesOf>): Html | undefined {
  const groups = categories.filter(({ parts }) => parts.length > 0);
  if (groups.length === 0) return undefined;
  return panel(
    'sub-categories',
    'Success rate by sub-category',
    html`<div class="groups">${groups.map(group)}</div>`,
    'wide',
  );
}

function group({ name, rate, parts }: ReturnType<typeof categoriesOf>[number]): Html {
  const hit = parts.filter((part) => part.hit !== 0).sort(byRate);
  const held = parts.filter((part) => part.hit === 0);
  return html`<section class="group"><h3>${name}${rate === undefined ? undefined : html` <i>${percentage(rate)}</i>`}</h3>
${hit.length === 0 ? undefined : bars('Success rate', hit.slice(0, MAX_ROWS).map(barOf))}
${held.length === 0 ? undefined : withstood(held)}</section>`;
}

function withstood(parts: readonly Breakdown[]): Html {
  const chips = parts.slice(0, MAX_ROWS).map(({ name, total }) => {
    const counts = total === undefined ? undefined : html` <i>0 of ${figure(total)}</i>`;
    return html`<li>${name}${counts}</li>`;
  });
  return html`<p class="small">Withstood every attack:</p><ul class="chips">${chips}</ul>`;
}

/** The service's best score of a framework. */
const FULL_SCORE = 5;

function byFramework({ report }: ReportData): Html | undefined {
  const frameworks = objectsOf(report['category_reports']).filter(({ category }) => category === 'COMPLIANCE');
  if (frameworks.length === 0) return undefined;
  const groups = frameworks.slice(0, MAX_ROWS).map((framework) => {
    const score = numberOf(framework['score']);
    const scoreText = score === undefined ? undefined : html` <i>score ${figure(score)} of ${FULL_SCORE}</i>`;
    const rows = objectsOf(framework['techniques']).slice(0, MAX_ROWS).map(breakdownOf);
    return html`<section class="group"><h3>${breakdownOf(framework).name}${scoreText}</h3>${bars('Success rate', rows.map(barOf))}</section>`;
  });
  return panel(
    'frameworks',
    'The same attacks by compliance framework',
    html`<div class="groups">${groups}</div><p class="small">An attack counts for each framework and technique that covers it. A score of ${FULL_SCORE} is the best.</p>`,
    'wide',
  );
}

function byRate(a: Breakdown, b: Breakdown): number {
  return (b.rate ?? -1) - (a.rate ?? -1);
}
