/** Style sheet of the comparison, beside that of all pages. */
import { type Html, html } from './escape.ts';

export const COMPARISON_STYLE: Html = html`
.outcome .tiles { border-top: 0; padding-top: 0; }
.outcome .tiles dd.bad { color: var(--hit); } .outcome .tiles dd.well { color: var(--good); }
.outcome ul { display: grid; gap: 4px; margin-top: 14px; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; margin-top: 20px; }
.side { display: grid; grid-template-columns: minmax(0, 200px) 1fr; gap: 4px 24px; align-items: center; align-content: start; }
.side h2, .side .facts { grid-column: 1 / -1; }
.side h2 { margin-bottom: 0; } .side h2 i { display: block; font-size: 0.8rem; }
.side .facts { margin: 0 0 12px; gap: 4px 24px; }
.side .gauge { margin: 4px 0 0; } .side .delta { display: block; min-height: 1.5em; } .side .gauge + .delta { max-width: 260px; text-align: center; }
.side > div { align-self: start; }
.reasons { display: grid; gap: 4px; margin-bottom: 14px; }
.delta { font-weight: 650; font-variant-numeric: tabular-nums; } .delta.worse { color: var(--hit); } .delta.better { color: var(--good); }
.answers { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; margin-top: 12px; }
.answers > * { min-width: 0; }
.history { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 28px; align-items: start; }
.trend { display: block; width: 100%; }
.trend path { fill: none; }
.trend .rule { stroke: var(--line); } .trend .compared { stroke: var(--soft); stroke-dasharray: 2 4; }
.trend .line { stroke-width: 2.5; stroke-linejoin: round; } .trend .line.asr { stroke: var(--hit); } .trend .line.score { stroke: var(--link); stroke-dasharray: 6 5; }
circle.asr { fill: var(--hit); } circle.score { fill: var(--card); stroke: var(--link); stroke-width: 2.5; }
.trend .end { fill: var(--soft); font-size: 12px; } .trend .role { fill: var(--ink); font-size: 12px; font-weight: 650; }
.stroke { display: inline-block; width: 1.8em; height: 0; border-top: 3px solid var(--hit); vertical-align: 0.25em; margin: 0 4px 0 12px; }
.stroke:first-child { margin-left: 0; } .stroke.score { border-top: 3px dashed var(--link); }
td.kind { width: 20%; } .label { display: none; } td.tries b { display: block; font-weight: 400; }
@media screen and (max-width: 900px) { .sides, .history { grid-template-columns: 1fr; } }
@media screen and (max-width: 600px) {
  .side, .answers { grid-template-columns: 1fr; } .label, td.tries b { display: inline; } td.kind { width: auto; }
  .history table { display: table; font-size: 0.8rem; } .history thead { display: table-header-group; } .history tbody { display: table-row-group; }
  .history tr { display: table-row; } .history td, .history th { display: table-cell; padding: 6px 8px 6px 0; border-bottom: 1px solid var(--line); }
}
@media print { .sides { gap: 12px; margin-top: 12px; } .sides > .panel, .answers, .history > div { break-inside: avoid; } .side { grid-template-columns: 130px 1fr; } }
`;
