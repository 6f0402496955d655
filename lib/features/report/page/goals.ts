/** Renders the goals of a dynamic scan with their streams. */
import { numberOf, textOf } from '../../../core/received.ts';
import { MAX_GOALS } from '../collect/collect-goals.ts';
import type { Goal, ReportData } from '../model.ts';
import { type StreamRow, streamRows } from './charts.ts';
import { type Html, html } from './escape.ts';
import { counted, figure, shortened, worded } from './format.ts';
import { panel } from './parts.ts';

const MAX_GOAL_LENGTH = 400;

/** Renders one panel, or none if the scan has no goals. */
export function goalPanels({ goals, report }: ReportData): readonly Html[] {
  if (goals.length === 0) return [];
  const total = numberOf(report.total_goals);
  const cut =
    total !== undefined && total > goals.length && goals.length >= MAX_GOALS
      ? html`<p class="small">The page holds ${goals.length} of ${counted(total, 'goal')}.</p>`
      : undefined;
  const key = html`<p class="small">Each row is one stream, each dot one turn. <span class="key hit round"></span> the turn in which the target gave in</p>`;
  return [panel('goals', 'Goals and streams', html`<ul class="goals">${goals.map(item)}</ul>${key}${cut}`, 'wide')];
}

function item({ goal, streams }: Goal): Html {
  const { threat, goal_type, goal_to_show, custom_goal } = goal;
  const [word, kind] =
    threat === true ? ['achieved', 'high'] : threat === false ? ['withstood', 'held'] : ['not reported', 'other'];
  const type = textOf(goal_type);
  const text = textOf(goal_to_show) ?? textOf(goal.goal) ?? 'not reported';
  const origin = custom_goal === true ? 'asked for' : undefined;
  const notes = [type === undefined ? undefined : worded(type), origin].filter((part) => part !== undefined).join(', ');
  return html`<li><div><span class="pill ${kind}">${word}</span></div>
<div class="goal-text"><p dir="auto">${shortened(text, MAX_GOAL_LENGTH)}</p>${notes === '' ? undefined : html`<p class="small">${shortened(notes, 80)}</p>`}</div>
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
