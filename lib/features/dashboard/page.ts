/** The page of a dashboard. */

import {
  header,
  incompleteBanner,
  notesSection,
  pageOf,
  panel,
  RED_TEAM_TERMS,
  type Tile,
  tiles,
} from '../report/page/page.ts';
import { type Html, html } from '../scans/escape.ts';
import { counted, figure, MISSING, moment, name, worded } from '../scans/format.ts';
import { heatMap, quotaBars, rateChart, rateText } from './charts.ts';
import type { Attention, DashboardData, Series } from './model.ts';

/** Maximum number of lines in the list; further items are only counted. */
const MAX_ATTENTION = 40;
const MAX_COMMAND_LENGTH = 200;
const KIND = 'AI security dashboard';

/** Renders what helps with an item. */
type ShowHelp = (item: Attention) => Html;

/** Shows the command that helps, with a link to the scan's page. @param pages file names by scan id, in the page's folder */
export function commandLink(pages: ReadonlyMap<string, string>): ShowHelp {
  return ({ command, scan = '' }) => {
    const page = pages.get(scan);
    const shown = html`${command.slice(0, MAX_COMMAND_LENGTH)}`;
    return html`<code>${page === undefined ? shown : html`<a href="${encodeURIComponent(page)}">${shown}</a>`}</code>`;
  };
}

/** Shows a link to the scan's report in a room in the browser, or the line that helps. */
export function roomLink({ command, scan }: Attention): Html {
  if (scan === undefined)
    return html`<code>${command.replace(/^aisec /, '!aisec-').slice(0, MAX_COMMAND_LENGTH)}</code>`;
  return html`<span><a href="/#/reports/${encodeURIComponent(scan)}" target="_top">Open the report</a></span>`;
}

/** Renders the page of a tenant. */
export function dashboardPage(data: DashboardData, help: ShowHelp): string {
  const { tenant, profile, simulated, missing } = data;
  const title = tenantTitle(data);
  return pageOf({
    title: profile === undefined ? title : `${title} (${profile})`,
    kind: KIND,
    simulated,
    style: DASHBOARD_STYLE,
    banners: [incompleteBanner(missing)],
    main: html`${heading(data)}
${overview(data)}
<div class="grid">
${attentionPanel(data, help)}
${ratesPanel(data)}
${heatPanel(data)}
${quotaPanel(data)}
</div>
${notesSection(data, [...RED_TEAM_TERMS, ...data.bounds.map((text) => html`${text}`)], html`the tenant ${name(tenant ?? 'without an id')}`)}`,
  });
}

function tenantTitle({ tenant }: Pick<DashboardData, 'tenant'>): string {
  return tenant === undefined ? 'Tenant' : `Tenant ${tenant}`;
}

function heading(data: DashboardData): Html {
  const { profile, production, createdAt } = data;
  const environment = html`${name(profile)}${production ? html` <span class="pill high">production</span>` : undefined}`;
  return header(KIND, name(tenantTitle(data)), [
    ...(profile === undefined ? [] : [['Profile', environment] as const]),
    ['As of', moment(new Date(createdAt).toISOString())],
  ]);
}

function overview({ attention, series, open, missing }: DashboardData): Html {
  const urgent = attention.filter(({ urgency }) => urgency !== 'medium').length;
  const isUnknown = missing.some(({ failed }) => failed);
  const critical = open.flatMap(({ severities }) => severities).filter(({ severity }) => /^critical$/i.test(severity));
  const statics = new Set(open.filter(({ noun }) => noun === 'attack').map(({ target }) => target));
  const list: readonly Tile[] = [
    {
      term: 'Need attention',
      value: attention.length,
      hint: isUnknown ? 'and what could not be read' : `${figure(urgent)} urgent`,
      kind: attention.length > 0 ? 'bad' : undefined,
    },
    {
      term: 'Critical attacks open',
      value: statics.size === 0 ? undefined : critical.reduce((sum, { hit }) => sum + hit, 0),
      hint: statics.size === 0 ? 'no static scan' : `against ${counted(statics.size, 'target')}`,
    },
    { term: 'Measured', value: series.length, hint: series.length === 1 ? 'target and type' : 'targets and types' },
  ];
  return html`<section class="panel overview" aria-label="Overview">${tiles(list)}</section>`;
}

function attentionPanel({ attention, missing }: DashboardData, help: ShowHelp): Html {
  const isUnknown = missing.some(({ failed }) => failed);
  const clear = isUnknown
    ? html`<p class="missing">Nothing was found in what could be read; not everything could be.</p>`
    : html`<p class="good">Nothing needs attention.</p>`;
  const more = attention.length - MAX_ATTENTION;
  const list = html`<ul class="todo">${attention.slice(0, MAX_ATTENTION).map((each) => item(each, help))}</ul>${more > 0 ? html`<p class="small">and ${counted(more, 'more item')}; aisec dashboard --output json lists all.</p>` : undefined}`;
  return panel('attention', 'What needs attention', attention.length === 0 ? clear : list, 'wide');
}

const PILLS: Readonly<Record<Attention['urgency'], string>> = { critical: 'critical', high: 'high', medium: 'medium' };

function item(each: Attention, help: ShowHelp): Html {
  const { urgency, kind, subject, state } = each;
  return html`<li><span class="pill ${PILLS[urgency]}">${urgency}</span><i>${kind}</i><p><b>${name(subject)}</b> ${name(state)}</p>${help(each)}</li>`;
}

function ratesPanel({ series, missing }: DashboardData): Html {
  const none = missing.some(({ what }) => what === 'The red-team scans')
    ? html`<p>${MISSING}</p>`
    : html`<p class="missing">No red-team scan is completed.</p>`;
  const charts = html`<ul class="targets">${series.map(target)}</ul>`;
  return panel('rates', 'Attack success rate over time, in %', series.length === 0 ? none : charts, 'wide');
}

function target({ target: title, type, points }: Series): Html {
  const latest = points.at(-1) ?? { asr: undefined, isWrong: false, interval: undefined };
  return html`<li><h3>${name(title)}<i>${name(worded(type))}, ${counted(points.length, 'scan')}</i></h3><p>${rateText(latest)}</p>${rateChart(points)}</li>`;
}

function heatPanel({ heat }: DashboardData): Html | undefined {
  const columns = heat.filter(({ cells }) => cells.length > 0);
  if (columns.length === 0) return undefined;
  return panel(
    'heat',
    'Success rate by kind of attack, in the newest static scan of each target',
    heatMap(columns),
    'wide',
  );
}

function quotaPanel({ quota }: DashboardData): Html {
  return panel('quota', 'Red-team quota', quota === undefined ? html`<p>${MISSING}</p>` : quotaBars(quota), 'wide');
}

const DASHBOARD_STYLE: Html = html`
.overview .tiles { border-top: 0; padding-top: 0; } .overview .bad { color: var(--hit); }
.todo { display: grid; }
.todo li { display: grid; grid-template-columns: 6.5em 5em minmax(0, 1fr) minmax(0, 32%); gap: 4px 16px; align-items: baseline; padding: 10px 0; border-bottom: 1px solid var(--line); }
.todo li:first-child { padding-top: 0; } .todo li:last-child { border-bottom: 0; padding-bottom: 0; }
.todo .pill { justify-self: start; } .todo p { overflow-wrap: anywhere; } .todo code { color: var(--soft); }
.todo + .small { margin-top: 12px; }
.targets { display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); gap: 26px 32px; }
.targets li { min-width: 0; } .targets h3 i { display: block; font-size: 0.8rem; white-space: normal; }
.targets p { margin: 4px 0 6px; font-variant-numeric: tabular-nums; } .targets p b { font-size: 1.5rem; font-weight: 650; }
.targets p + .small { margin-top: 0; }
.rates { display: block; width: 100%; } .rates path { fill: none; } .rates .rule { stroke: var(--line); }
.rates .line { stroke: var(--hit); stroke-width: 2; stroke-linejoin: round; } .rates .bound { stroke: var(--soft); stroke-width: 1.5; }
.rates .end { fill: var(--soft); font-size: 12px; }
.scroll { overflow-x: auto; }
.heats { columns: 20em auto; column-gap: 32px; } .heats .heat { break-inside: avoid; margin-bottom: 14px; } .heats .heat th, .heats .heat td { padding: 3px 10px; } .heats .heat td { width: 34%; } .heat caption { text-align: left; font-weight: 650; padding-bottom: 4px; } .heats { margin-top: 10px; }
.heat th, .heat td { padding: 6px 10px; white-space: nowrap; } .heat thead th { white-space: normal; overflow-wrap: anywhere; min-width: 7em; vertical-align: bottom; }
.heat th[scope='row'] { font-size: 0.92rem; color: var(--ink); white-space: normal; min-width: 9em; padding-left: 0; } .heat thead th:first-child, .heat .group-head { padding-left: 0; }
.heat .group-head { padding-top: 16px; font-weight: 650; font-size: 0.92rem; color: var(--ink); } .heat td { border: 2px solid var(--card); border-radius: 6px; font-variant-numeric: tabular-nums; }
.heat td i { color: inherit; opacity: 0.8; font-size: 0.85em; } .heat .none { color: var(--soft); font-style: italic; }
.h0 { background: var(--quiet); } .h1 { background: color-mix(in srgb, var(--hit) 12%, var(--card)); } .h2 { background: color-mix(in srgb, var(--hit) 22%, var(--card)); }
.h3 { background: color-mix(in srgb, var(--hit) 32%, var(--card)); } .h4 { background: color-mix(in srgb, var(--hit) 43%, var(--card)); } .h5 { background: color-mix(in srgb, var(--hit) 55%, var(--card)); }
rect.used { fill: var(--link); }
@media screen and (max-width: 900px) { .todo li { grid-template-columns: 6.5em minmax(0, 1fr); } .todo code { grid-column: 2; } .todo li > p { grid-column: 1 / -1; } .todo li > code { grid-column: 1 / -1; } }
@media screen and (max-width: 760px) { .heat { display: table; } .heat thead { display: table-header-group; } .heat tbody { display: table-row-group; } .heat tr { display: table-row; } .heat td { display: table-cell; padding: 6px 10px; border: 2px solid var(--card); } }
@media print { .todo li, .targets li { break-inside: avoid; } .scroll { overflow: visible; } .heat { font-size: 0.85rem; } .targets { grid-template-columns: repeat(3, 1fr); gap: 14px 18px; } }
`;
