/** Where the attacks of a static scan were successful: by severity, category, sub-category and framework. */
import { type JsonObject, objectsOf } from '../json.ts';
import { type Bar, bars, splits } from './charts.ts';
import { type Html, html } from './escape.ts';
import type { ReportData } from './model.ts';
import { panel, pill } from './parts.ts';
import { counted, figure, name, numberOf, percentage, share, textOf } from './words.ts';
import { SEVERITIES } from './worst.ts';

const MOST_ROWS = 60;

/** A part of the report, and its numbers. */
export interface Slice {
  readonly name: Html;
  readonly hit: number | undefined;
  readonly total: number | undefined;
  readonly rate: number | undefined;
}

/** Where the service counts, its rate is the share of what it counts, unless it says another one. */
function sliceOf(part: JsonObject): Slice {
  const [hit, failed] = [numberOf(part['successful']), numberOf(part['failed'])];
  const counted = hit === undefined || failed === undefined ? undefined : hit + failed;
  const total = numberOf(part['total_attacks']) ?? numberOf(part['total']) ?? counted;
  const shown = textOf(part['display_name']) ?? part['id'] ?? part['category'];
  return { name: name(shown), hit, total, rate: numberOf(part['asr']) ?? share(hit, total) };
}

/** The categories of a report, without frameworks, which count the same attacks once more. */
export function categoriesOf({ report }: Pick<ReportData, 'report'>): readonly (Slice & { parts: readonly Slice[] })[] {
  return objectsOf(report['category_reports'])
    .filter(({ category }) => category !== 'COMPLIANCE')
    .map((part) => ({ ...sliceOf(part), parts: objectsOf(part['sub_categories']).map(sliceOf) }));
}

/** Successful attacks and others of each severity. */
export function severitiesOf({ report }: Pick<ReportData, 'report'>) {
  return objectsOf(report['severity_breakdown'])
    .map((row) => ({
      severity: textOf(row['severity']) ?? 'not told',
      hit: numberOf(row['successful']) ?? 0,
      held: numberOf(row['failed']) ?? 0,
    }))
    .sort((a, b) => rankOf(a.severity) - rankOf(b.severity));
}

function rankOf(severity: string): number {
  const at = SEVERITIES.indexOf(severity);
  return at < 0 ? SEVERITIES.length : at;
}

/** Panels; none where the service has broken nothing down. */
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

function byCategory(categories: readonly Slice[]): Html | undefined {
  if (categories.length === 0) return undefined;
  return panel(
    'categories',
    'Success rate by category',
    bars('Success rate', categories.slice(0, MOST_ROWS).map(barOf)),
  );
}

function barOf({ name, rate, hit, total }: Slice): Bar {
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
${hit.length === 0 ? undefined : bars('Success rate', hit.slice(0, MOST_ROWS).map(barOf))}
${held.length === 0 ? undefined : withstood(held)}</section>`;
}

function withstood(parts: readonly Slice[]): Html {
  const chips = parts.slice(0, MOST_ROWS).map(({ name, total }) => {
    const counts = total === undefined ? undefined : html` <i>0 of ${figure(total)}</i>`;
    return html`<li>${name}${counts}</li>`;
  });
  return html`<p class="small">Withstood every attack:</p><ul class="chips">${chips}</ul>`;
}

/** The best score of a framework, according to the service. */
const FULL_SCORE = 5;

function byFramework({ report }: ReportData): Html | undefined {
  const frameworks = objectsOf(report['category_reports']).filter(({ category }) => category === 'COMPLIANCE');
  if (frameworks.length === 0) return undefined;
  const groups = frameworks.slice(0, MOST_ROWS).map((framework) => {
    const score = numberOf(framework['score']);
    const told = score === undefined ? undefined : html` <i>score ${figure(score)} of ${FULL_SCORE}</i>`;
    const rows = objectsOf(framework['techniques']).slice(0, MOST_ROWS).map(sliceOf);
    return html`<section class="group"><h3>${sliceOf(framework).name}${told}</h3>${bars('Success rate', rows.map(barOf))}</section>`;
  });
  return panel(
    'frameworks',
    'The same attacks by compliance framework',
    html`<div class="groups">${groups}</div><p class="small">An attack counts for each framework and technique that covers it. A score of ${FULL_SCORE} is the best.</p>`,
    'wide',
  );
}

function byRate(a: Slice, b: Slice): number {
  return (b.rate ?? -1) - (a.rate ?? -1);
}
