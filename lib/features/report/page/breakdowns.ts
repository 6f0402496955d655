/** Renders success rates by severity, category, sub-category and framework, and by prompt set and property. */
import { numberOf } from '../../../core/received.ts';
import { type Html, html } from '../../scans/escape.ts';
import { counted, figure, name, percentage, share } from '../../scans/format.ts';
import { attackRank } from '../../scans/rank-attacks.ts';
import { type Part, type ReportData, readCategories, readSeverities } from '../../scans/report-data.ts';
import { type Bar, bars, splits } from './charts.ts';
import { panel, pill } from './page.ts';

const MAX_ROWS = 60;
const MAX_SETS = 50;

interface Breakdown {
  readonly name: Html;
  readonly hit: number | undefined;
  readonly total: number | undefined;
  readonly rate: number | undefined;
}

interface Category extends Breakdown {
  readonly parts: readonly Breakdown[];
}

/** Converts one part. If the service sends no rate, computes it from the counts. */
function breakdownOf({ successful: hit, failed, total_attacks, total, ...part }: Part): Breakdown {
  const judged = hit === undefined || failed === undefined ? undefined : hit + failed;
  const all = total_attacks ?? total ?? judged;
  const title = name(part.display_name ?? part.id ?? part.category);
  return { name: title, hit, total: all, rate: part.asr ?? share(hit, all) };
}

const isFramework = ({ category }: Part) => category === 'COMPLIANCE';

/** Lists the categories without frameworks, which would count the same attacks again. */
export function categoriesOf({ report }: Pick<ReportData, 'report'>): readonly Category[] {
  return readCategories(report.category_reports)
    .filter((part) => !isFramework(part))
    .map((part) => ({ ...breakdownOf(part), parts: part.sub_categories.map(breakdownOf) }));
}

/** Counts successful and withstood attacks by severity. */
export function severitiesOf({ report }: Pick<ReportData, 'report'>) {
  return readSeverities(report.severity_breakdown)
    .map(({ severity = 'not reported', successful: hit = 0, failed: held = 0 }) => ({ severity, hit, held }))
    .sort((a, b) => attackRank(a.severity) - attackRank(b.severity));
}

/** Renders the panels; returns none if the service reports no breakdown. */
export function breakdowns(data: ReportData): readonly Html[] {
  const categories = [...categoriesOf(data)].sort(byRate);
  return [
    bySeverity(data),
    byCategory(categories),
    bySubCategory(categories),
    byFramework(data),
    byPromptSet(data),
    byProperty(data),
  ].filter((section) => section !== undefined);
}

function bySeverity(data: ReportData): Html | undefined {
  const rows = severitiesOf(data);
  if (rows.length === 0) return undefined;
  const total = rows.reduce((sum, { hit, held }) => sum + hit + held, 0);
  const expected = numberOf(data.report.total_attacks);
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
  return panel('categories', 'Success rate by category', rates(categories));
}

function bySubCategory(categories: readonly Category[]): Html | undefined {
  const groups = categories.filter(({ parts }) => parts.length > 0).map(subCategories);
  if (groups.length === 0) return undefined;
  return panel('sub-categories', 'Success rate by sub-category', html`<div class="groups">${groups}</div>`, 'wide');
}

function subCategories({ name, rate, parts }: Category): Html {
  const hit = parts.filter((part) => part.hit !== 0).sort(byRate);
  const held = parts.filter((part) => part.hit === 0);
  return html`<section class="group"><h3>${name}${rate === undefined ? undefined : html` <i>${percentage(rate)}</i>`}</h3>
${hit.length === 0 ? undefined : rates(hit)}
${held.length === 0 ? undefined : withstood(held)}</section>`;
}

function withstood(parts: readonly Breakdown[]): Html {
  const chips = parts.slice(0, MAX_ROWS).map(({ name, total }) => {
    const counts = total === undefined ? undefined : html` <i>0 of ${figure(total)}</i>`;
    return html`<li>${name}${counts}</li>`;
  });
  return html`<p class="small">Withstood every attack:</p><ul class="chips">${chips}</ul>`;
}

/** The best score that the service gives a framework. */
const FULL_SCORE = 5;

function byFramework({ report }: ReportData): Html | undefined {
  const frameworks = readCategories(report.category_reports).filter(isFramework).slice(0, MAX_ROWS);
  if (frameworks.length === 0) return undefined;
  const groups = frameworks.map((framework) => {
    const { score, techniques } = framework;
    const scoreText =
      score === undefined ? undefined : html` <i>score ${figure(score)} of ${FULL_SCORE}, higher is better</i>`;
    return html`<section class="group"><h3>${breakdownOf(framework).name}${scoreText}</h3>${rates(techniques.map(techniqueOf))}</section>`;
  });
  return panel(
    'frameworks',
    'The same attacks by compliance framework',
    html`<div class="groups">${groups}</div><p class="small">An attack counts for each framework and technique that covers it.</p>`,
    'wide',
  );
}

function techniqueOf(part: Part): Breakdown {
  const breakdown = breakdownOf(part);
  const ids = bothEditions(part.id);
  return ids === undefined ? breakdown : { ...breakdown, name: html`${breakdown.name} <i>${ids}</i>` };
}

function byPromptSet({ promptSets }: ReportData): Html | undefined {
  const rows = promptSets.map((set): Breakdown => {
    const { prompt_set_name, prompt_set_id, total_threats: hit, total_attacks: total, threat_rate } = set;
    return { name: name(prompt_set_name ?? prompt_set_id), hit, total, rate: threat_rate ?? share(hit, total) };
  });
  return rows.length === 0 ? undefined : panel('prompt-sets', 'Success rate by prompt set', ranked(rows));
}

function byProperty({ properties }: ReportData): Html | undefined {
  if (properties.length === 0) return undefined;
  const groups = properties.slice(0, MAX_SETS).map(({ property_name, values }) => {
    const rows = values.map((each): Breakdown => {
      const { value, successful_attack_count: hit, total_attack_count: total, success_rate } = each;
      return { name: name(value), hit, total, rate: success_rate ?? share(hit, total) };
    });
    return html`<section class="group"><h3>${name(property_name)}</h3>${ranked(rows)}</section>`;
  });
  return panel('properties', 'Success rate by property', html`${groups}`);
}

function ranked(rows: readonly Breakdown[]): Html {
  const cut = rows.length > MAX_SETS ? html`<p class="small">${MAX_SETS} of ${rows.length} are shown.</p>` : undefined;
  return html`${rates([...rows].sort(byRate).slice(0, MAX_SETS))}${cut}`;
}

function rates(rows: readonly Breakdown[]): Html {
  return bars('Success rate', rows.slice(0, MAX_ROWS).map(barOf));
}

function barOf({ name, rate, hit, total }: Breakdown): Bar {
  const counts = hit === undefined || total === undefined ? undefined : `${figure(hit)} of ${figure(total)}`;
  return { name, rate, counts };
}

function byRate(a: Breakdown, b: Breakdown): number {
  return (b.rate ?? -1) - (a.rate ?? -1);
}

/** Numbers in the 2026 edition, by their numbers in 2025. */
const NUMBERS: Readonly<Record<string, string>> = {
  '01': '01',
  '02': '02',
  '03': '04',
  '04': '05',
  '05': '10',
  '06': '03',
  '07': '08',
  '08': '09',
  '09': '07',
  '10': '06',
};

/** Writes `LLM05:2025` as `LLM05:2025, LLM10:2026`; returns nothing for an id that does not name its edition. */
export function bothEditions(id: string | undefined): string | undefined {
  const [, number, year] = /^LLM(\d\d):(2025|2026)$/.exec(id ?? '') ?? [];
  const pair = Object.entries(NUMBERS).find((numbers) => numbers[year === '2025' ? 0 : 1] === number);
  return pair === undefined ? undefined : `LLM${pair[0]}:2025, LLM${pair[1]}:2026`;
}
