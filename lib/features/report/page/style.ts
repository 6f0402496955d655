/** Style sheets of the pages: light and dark, wide and narrow, print. */
import { type Html, html } from '../../scans/escape.ts';

const COLOURS = html`
:root { color-scheme: light dark; --page: #f3f5f8; --card: #ffffff; --ink: #17202c; --soft: #566275; --line: #dde3ea;
  --hit: #c62f4a; --held: #d3dae3; --quiet: #eef1f5; --good: #1c7a55; --link: #1f5fae;
  --low: #2f9e78; --middle: #e5a50a; --high: #c62f4a; --shadow: 0 1px 2px rgb(23 32 44 / 0.06), 0 4px 16px rgb(23 32 44 / 0.05);
  --critical-ink: #ffffff; --critical: #96173a; --severe-ink: #8a2713; --severe: #fde0d6; --medium-ink: #6b4a00; --medium: #fdeebf;
  --mild-ink: #274b6e; --mild: #dceaf7; --banner-ink: #4d3500; --banner: #ffdf8a; }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #0e131a; --card: #171e28; --ink: #e9eef5; --soft: #a3afbf; --line: #2b3644;
    --hit: #f2637d; --held: #3a4758; --quiet: #1e2733; --good: #5fd3a2; --link: #8fbdf5;
    --low: #3fb68b; --middle: #f0b93a; --high: #f2637d; --shadow: none;
    --critical-ink: #ffffff; --critical: #b3264c; --severe-ink: #ffb9a6; --severe: #56261b; --medium-ink: #ffdc85; --medium: #4a3a10;
    --mild-ink: #b5d6f7; --mild: #1f3a55; --banner-ink: #ffe7ad; --banner: #5a4208; }
}`;

const BASE = html`
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif; -webkit-text-size-adjust: 100%; }
main { max-width: 1120px; margin: 0 auto; padding: 24px; }
h1, h2, h3, p, ul, ol, dl, dd, figure, blockquote { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 2.1rem; line-height: 1.2; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; line-height: 1.3; margin-bottom: 16px; }
h3 { font-size: 1rem; line-height: 1.35; overflow-wrap: anywhere; }
h3 i { white-space: nowrap; }
i { font-style: normal; color: var(--soft); font-weight: 400; }
a { color: var(--link); overflow-wrap: anywhere; }
code { font: 0.85em ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; overflow-wrap: anywhere; }
.small { font-size: 0.85rem; color: var(--soft); }
.missing { color: var(--soft); font-style: italic; font-weight: 400; }
.good { color: var(--good); font-weight: 600; }
.cut { color: var(--soft); font-style: italic; white-space: normal; }
.banner { padding: 10px 24px; background: var(--banner); color: var(--banner-ink); text-align: center; }
.banner b { letter-spacing: 0.08em; margin-right: 8px; }
.banner + .banner { border-top: 1px solid var(--line); }
.banner a { color: inherit; }
.eyebrow { font-size: 0.8rem; font-weight: 600; letter-spacing: 0.1em; text-transform: uppercase; color: var(--soft); margin-bottom: 6px; }
.top { padding: 12px 0 20px; }
.facts { display: flex; flex-wrap: wrap; gap: 8px 36px; margin-top: 16px; }
dt { font-size: 0.8rem; color: var(--soft); }
.facts dd { overflow-wrap: anywhere; }
.panel { background: var(--card); border: 1px solid var(--line); border-radius: 12px; box-shadow: var(--shadow); padding: 22px 24px; min-width: 0; }
.score { display: grid; grid-template-columns: 300px 1fr; gap: 20px; }
.rate { display: flex; flex-direction: column; justify-content: space-between; gap: 20px; }
.rate-top { display: grid; grid-template-columns: auto minmax(0, 400px); justify-content: space-between; gap: 20px 40px; }
.score h2 { margin-bottom: 8px; }
.summary { margin-top: 20px; }
.lead { font-size: 1.15rem; line-height: 1.45; overflow-wrap: anywhere; }
.summary ul { display: grid; gap: 4px; }
.summary .lead + ul { margin-top: 10px; }
.summary li, .notes li { padding-left: 18px; position: relative; overflow-wrap: anywhere; }
.summary li::before, .notes li::before { content: ''; position: absolute; left: 2px; top: 0.62em; width: 6px; height: 6px; border-radius: 50%; background: var(--hit); }
.notes li::before { background: var(--held); }
.notes ul { display: grid; gap: 6px; font-size: 0.92rem; }
.notes .loss { color: var(--ink); }
.grid { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; margin: 20px 0; }
.wide { grid-column: 1 / -1; }
.half:not(:has(+ .half)):not(.half + .half) { grid-column: 1 / -1; }
footer { margin-top: 16px; font-size: 0.85rem; color: var(--soft); overflow-wrap: anywhere; }`;

const CHARTS = html`
.gauge { display: block; width: 100%; max-width: 260px; margin: 0 auto; }
.gauge path { fill: none; stroke: url(#risk); stroke-width: 20; }
.gauge .track { stroke: var(--held); }
.gauge .mark { fill: var(--card); stroke: var(--ink); stroke-width: 5; }
.gauge .number { fill: var(--ink); font-size: 44px; font-weight: 650; letter-spacing: -0.02em; }
.gauge .end { fill: var(--soft); font-size: 13px; }
.low { stop-color: var(--low); } .middle { stop-color: var(--middle); } .high { stop-color: var(--high); }
.big { font-size: 2.75rem; line-height: 1.1; font-weight: 650; letter-spacing: -0.02em; }
.squares { display: block; width: 100%; margin-bottom: 8px; }
rect.hit, circle.hit { fill: var(--hit); } rect.held, circle.held { fill: var(--held); } rect.on { fill: var(--ink); }
.key { display: inline-block; width: 0.8em; height: 0.8em; border-radius: 3px; margin: 0 2px 0 8px; vertical-align: -0.05em; }
.key:first-child { margin-left: 0; }
.key.hit { background: var(--hit); } .key.held { background: var(--held); } .key.round { border-radius: 50%; }
.tiles { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: 14px; border-top: 1px solid var(--line); padding-top: 16px; }
.tiles dd { font-size: 1.7rem; line-height: 1.2; font-weight: 650; letter-spacing: -0.01em; }
.tiles dd i { display: block; font-size: 0.8rem; letter-spacing: 0; }
.bars { display: grid; gap: 12px; }
.bars li { display: grid; grid-template-columns: minmax(96px, 34%) 1fr 8.4em; gap: 4px 14px; align-items: center; }
.bars .name { overflow-wrap: anywhere; line-height: 1.3; }
.bars svg { display: block; }
.figures { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 8px; white-space: nowrap; font-variant-numeric: tabular-nums; }
.figures b { display: inline-block; min-width: 4em; text-align: right; }
.splits .figures b { min-width: 1.6em; }
.figures i { font-size: 0.85rem; }
.bars + .small { margin-top: 14px; }
.groups { columns: 2; column-gap: 44px; margin-bottom: -26px; }
.groups + .small { margin-top: 26px; }
.groups .group { break-inside: avoid; padding-bottom: 26px; }
.group > h3 { margin-bottom: 12px; }
.group > h3 i { margin-left: 6px; }
.group .bars + .small { margin-top: 16px; }
.half .group + .group { margin-top: 22px; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 8px; }
.chips li { background: var(--quiet); border-radius: 6px; padding: 2px 10px; font-size: 0.85rem; overflow-wrap: anywhere; }`;

const FINDINGS = html`
.pill { display: inline-block; border-radius: 6px; padding: 2px 10px; font-size: 0.78rem; font-weight: 650; letter-spacing: 0.04em; text-transform: uppercase; white-space: nowrap; background: var(--quiet); color: var(--ink); }
.pill.other { white-space: normal; overflow-wrap: break-word; max-width: 100%; }
.pill.critical { background: var(--critical); color: var(--critical-ink); } .pill.high { background: var(--severe); color: var(--severe-ink); }
.pill.medium { background: var(--medium); color: var(--medium-ink); } .pill.low { background: var(--mild); color: var(--mild-ink); }
.cards { display: grid; gap: 18px; counter-reset: card; }
.card { border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; counter-increment: card; min-width: 0; }
.card-head { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; margin-bottom: 12px; }
.card-head::before { content: counter(card); color: var(--soft); font-weight: 650; font-variant-numeric: tabular-nums; min-width: 1.2em; }
.card-head .tries { margin-left: auto; font-size: 0.9rem; color: var(--soft); }
.goal { margin-bottom: 12px; overflow-wrap: anywhere; }
.goal b { font-weight: 400; color: var(--soft); margin-right: 6px; }
.turn { margin: 14px 0 6px; font-size: 0.85rem; font-weight: 650; color: var(--soft); overflow-wrap: anywhere; }
.quote { border-left: 4px solid var(--held); border-radius: 0 8px 8px 0; background: var(--quiet); padding: 8px 14px 10px; min-width: 0; }
.exchange { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; }
.exchange > :only-child { grid-column: 2; }
.exchange + .exchange { margin-top: 12px; }
.quote.threat { border-left-color: var(--hit); }
.quote.threat figcaption { color: var(--hit); font-weight: 650; }
.quote figcaption { font-size: 0.8rem; color: var(--soft); }
blockquote { white-space: pre-wrap; overflow-wrap: anywhere; overflow: clip; }
.card .small { margin-top: 8px; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-size: 0.92rem; }
th { text-align: left; font-size: 0.8rem; font-weight: 400; color: var(--soft); }
th, td { padding: 8px 14px 8px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr:last-child td { border-bottom: 0; }
td { overflow-wrap: anywhere; }
.label { display: none; }
td.tries { white-space: nowrap; font-variant-numeric: tabular-nums; }
td.text { white-space: pre-wrap; overflow: clip; padding-right: 0; width: 52%; }
table + .small { margin-top: 12px; }
.goals { display: grid; }
.goals > li { display: grid; grid-template-columns: 120px 1fr minmax(150px, 30%); gap: 8px 18px; padding: 16px 0; border-bottom: 1px solid var(--line); }
.goals > li:first-child { padding-top: 0; }
.goal-text { overflow-wrap: anywhere; min-width: 0; }
.goals + .small { margin-top: 16px; }
.streams { display: grid; gap: 3px; overflow: hidden; }
.streams svg { display: block; max-width: 100%; }
.remedies { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); gap: 16px; }
.remedies > li { border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; display: flex; flex-direction: column; gap: 10px; overflow-wrap: anywhere; min-width: 0; }
.levels { display: flex; flex-wrap: wrap; gap: 6px 24px; margin-top: auto; }
.levels dd { font-size: 0.85rem; font-weight: 650; }
.meter { display: block; margin-top: 3px; }
.links { font-size: 0.82rem; }`;

const NARROW = html`
@media screen and (max-width: 900px) {
  .score, .grid, .rate-top { grid-template-columns: 1fr; } .groups { columns: 1; }
}
@media screen and (max-width: 600px) {
  main { padding: 16px; } h1 { font-size: 1.6rem; } .panel { padding: 18px 16px; } .banner { padding: 10px 16px; }
  .tiles { grid-auto-flow: row; grid-template-columns: repeat(auto-fit, minmax(92px, 1fr)); } .facts { gap: 8px 24px; }
  .bars li { grid-template-columns: 1fr auto; } .bars .bar { grid-column: 1 / -1; grid-row: 2; }
  .exchange { grid-template-columns: 1fr; gap: 8px; } .exchange > .target { margin-left: 16px; } .exchange > :only-child { grid-column: 1; } .card { padding: 14px; } .card-head .tries { margin-left: 0; }
  .goals > li { grid-template-columns: 1fr; }
}
@media screen and (max-width: 760px) {
  table, tbody, tr, td { display: block; } thead { display: none; }
  tr { padding: 12px 0; border-bottom: 1px solid var(--line); } tbody tr:last-child { border-bottom: 0; }
  td { border: 0; padding: 2px 0; } td.text { width: auto; } .label { display: inline; }
}`;

const PAPER = html`
@page { size: auto; margin: 16mm 14mm;
  @bottom-right { content: counter(page) ' / ' counter(pages); font: 9pt sans-serif; color: #566275; } }
@media print {
  :root { color-scheme: light; --page: #ffffff; --shadow: none; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  html { font-size: 12.5px; } body { font-size: 1rem; } main { max-width: none; padding: 0; }
  .score { grid-template-columns: 220px 1fr; gap: 12px; } .grid { gap: 12px; margin: 12px 0; } .summary { margin-top: 12px; }
  .panel { padding: 14px 16px; } .banner { border-radius: 8px; margin-bottom: 10px; } .panel { -webkit-box-decoration-break: clone; box-decoration-break: clone; }
  .cards { display: block; } .card { margin-bottom: 12px; } .card:last-child { margin-bottom: 0; } .rate-top { grid-template-columns: auto minmax(0, 300px); }
  .score, .half, .group, .card, .exchange, .remedies > li, .goals > li, .notes, tr, .bars li { break-inside: avoid; }
  h2, h3, .card-head, .turn, thead { break-after: avoid; }
  h1, h2, td, .bars .name, .facts dd { overflow-wrap: break-word; }
  a { color: inherit; text-decoration: none; }
}`;

export const STYLE: Html = html`${COLOURS}${BASE}${CHARTS}${FINDINGS}${NARROW}${PAPER}
`;

/** Names the kind of page on each printed sheet. @param kind plain text */
export function sheetStyle(kind: string): Html {
  return html`@page { @bottom-left { content: "${kind.replace(/[^\w ,-]/g, '')}"; font: 9pt sans-serif; color: #566275; } }
`;
}

/** Marks every printed page. */
export const SIMULATED_STYLE: Html = html`@page { @top-center { content: 'SIMULATED: answered by the simulated service, not by a tenant'; font: 9pt sans-serif; color: #7a5200; } }
`;

/** Style rules of a comparison, in addition to the rules of all pages. */
export const COMPARISON_STYLE: Html = html`
.outcome .tiles { border-top: 0; padding-top: 0; }
.outcome .tiles dd.bad { color: var(--hit); } .outcome .tiles dd.well { color: var(--good); }
.outcome ul { display: grid; gap: 4px; margin-bottom: 14px; } .outcome li:first-child { font-weight: 650; }
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
.history { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 28px; align-items: start; }
.trend { display: block; width: 100%; }
.trend path { fill: none; }
.trend .rule { stroke: var(--line); } .trend .compared { stroke: var(--soft); stroke-dasharray: 2 4; }
.trend .line { stroke-width: 2.5; stroke-linejoin: round; } .trend .line.asr { stroke: var(--hit); } .trend .line.score { stroke: var(--link); stroke-dasharray: 6 5; }
circle.asr { fill: var(--hit); } circle.score { fill: var(--card); stroke: var(--link); stroke-width: 2.5; }
.trend .end { fill: var(--soft); font-size: 12px; } .trend .role { fill: var(--ink); font-size: 12px; font-weight: 650; }
.stroke { display: inline-block; width: 1.8em; height: 0; border-top: 3px solid var(--hit); vertical-align: 0.25em; margin: 0 4px 0 12px; }
.stroke:first-child { margin-left: 0; } .stroke.score { border-top: 3px dashed var(--link); }
td.kind { width: 20%; } td.tries b { display: block; font-weight: 400; }
@media screen and (max-width: 900px) { .sides, .history { grid-template-columns: 1fr; } }
@media screen and (max-width: 760px) { td.tries b { display: inline; } td.kind { width: auto; } }
@media screen and (max-width: 600px) { .side, .answers { grid-template-columns: 1fr; } }
@media print { .sides { gap: 12px; margin-top: 12px; } .sides > .panel, .answers, .history > div { break-inside: avoid; } .side { grid-template-columns: 130px 1fr; } }
`;

/** Style rules for model scans and bulk scans, in addition to the rules of all pages. */
export const VERDICT_STYLE: Html = html`
.verdict .tiles { border-top: 0; padding-top: 0; } .verdict .bad { color: var(--hit); }
.pill.allowed { background: var(--good); color: var(--card); } h1 .pill { font-size: 0.9rem; vertical-align: middle; letter-spacing: 0.04em; }
.step { display: block; margin-top: 4px; color: var(--soft); } td.text { padding-right: 14px; }
td:last-child { padding-right: 0; }
td code { color: var(--soft); }
`;
