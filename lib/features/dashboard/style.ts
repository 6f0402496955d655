/** Rules of a dashboard, besides those of all pages. */
import { type Html, html } from '../report/page/escape.ts';

export const DASHBOARD_STYLE: Html = html`
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
