/** Renders the attacks of a comparison: new ones with both responses, the others in tables. */
import type { AnsweredPair, ComparisonData } from '../collect/collect-comparison.ts';
import { type Comparison, type Pair, recordOf, shownOf } from '../compare.ts';
import { isSuccessful, reasonCounts } from '../comparison-summary.ts';
import type { Attack, Turn } from '../model.ts';
import type { Tested } from '../tested.ts';
import { type Html, html } from './escape.ts';
import { counted, figure, percentage, shortened } from './format.ts';
import {
  MAX_OUTPUT_LENGTH,
  MAX_PROMPT_LENGTH,
  MAX_ROW_LENGTH,
  panel,
  path,
  pill,
  quote,
  safeMark,
  table,
} from './parts.ts';

const MAX_ROWS = 200;

/** Renders the panels; a class without attacks has none, except for new ones. */
export function comparisonPanels({ comparison, answered }: ComparisonData): readonly Html[] {
  const { new: added, fixed, open, incomparable } = comparison;
  return [
    panel('new', `Newly successful: ${figure(added.length)}`, newAttacks(answered, added), 'wide'),
    ...tablePanel('fixed', `Fixed: ${figure(fixed.length)}`, fixed),
    ...tablePanel('open', `Still open: ${figure(open.length)}`, open),
    ...(incomparable.length === 0 ? [] : [notComparable(comparison)]),
  ];
}

function newAttacks(answered: readonly AnsweredPair[], added: readonly Pair[]): Html {
  if (added.length === 0) return html`<p class="good">Nothing that the target withstood before is successful now.</p>`;
  const others = added.slice(answered.length);
  const cards = html`<ol class="cards">${answered.map(card)}</ol>`;
  return html`${answered.length === 0 ? undefined : cards}${others.length === 0 ? undefined : pairTable(others)}`;
}

function tablePanel(id: string, title: string, pairs: readonly Pair[]): readonly Html[] {
  return pairs.length === 0 ? [] : [panel(id, title, pairTable(pairs), 'wide')];
}

function notComparable(comparison: Comparison): Html {
  const successful = comparison.incomparable.filter(isSuccessful);
  const rows = reasonCounts(comparison).map(
    ({ text, count, successful: hits }) =>
      html`<li><b>${figure(count)}</b> ${text}${hits === 0 ? undefined : html`, <b>${figure(hits)}</b> of them successful`}</li>`,
  );
  return panel(
    'not-comparable',
    `Not comparable: ${figure(comparison.incomparable.length)}`,
    html`<ul class="reasons">${rows}</ul>${successful.length === 0 ? undefined : pairTable(successful)}`,
    'wide',
  );
}

function card({ pair, before, after }: AnsweredPair): Html {
  const { text, where = [] } = shownOf(pair) ?? {};
  const turn = decisive(after);
  const prompt = turn?.prompt === text ? undefined : turn?.prompt;
  return html`<li class="card"><div class="card-head">${pill(after.severity)}<h3>${path(where)}</h3>${safeMark(after)}<span class="tries">${rate(before)} → <b>${rate(after)}</b></span></div>
${text === undefined ? undefined : quote(after.unit === 'stream' ? 'Goal' : 'Attack', text, 'attacker', MAX_PROMPT_LENGTH)}
${turn?.title === undefined ? undefined : html`<p class="turn">${shortened(turn.title, 80)}</p>`}
${prompt === undefined ? undefined : quote('Attack', prompt, 'attacker', MAX_PROMPT_LENGTH)}
<div class="answers">${answer('First scan: the target withstood', before, 'target')}${answer('Second scan: the target gave in', after, 'target threat')}</div></li>`;
}

/** Returns the turn that decided: the one in which the target gave in, or the last one. */
function decisive({ turns = [] }: Attack): Turn | undefined {
  return turns.find(({ threat }) => threat) ?? turns.at(-1);
}

function answer(label: string, attack: Attack, side: string): Html {
  const output = decisive(attack)?.output;
  if (output !== undefined) return quote(label, output, side, MAX_OUTPUT_LENGTH);
  return html`<figure class="quote ${side}"><figcaption>${label}</figcaption><p class="missing">${attack.unit === 'stream' ? 'The target withstood in every stream.' : 'No answer is reported.'}</p></figure>`;
}

function rate({ asr, tries, unit }: Attack): string {
  if (tries !== undefined && tries.total > 0) return `${figure(tries.hit)} of ${counted(tries.total, unit)}`;
  return asr === undefined ? 'not reported' : percentage(asr);
}

function pairTable(pairs: readonly Pair[]): Html {
  // Goals and custom prompts have no severity.
  const hasSeverity = pairs.some((pair) => shownOf(pair)?.severity !== undefined);
  const row = (pair: Pair) => {
    const { severity, where = [], text = '', markedSafe = false } = shownOf(pair) ?? {};
    const first = hasSeverity ? html`<td>${pill(severity)}${safeMark({ markedSafe })}</td>` : undefined;
    return html`<tr>${first}<td class="kind">${path(where)}</td>
<td class="tries"><i class="label">First scan: </i>${outcome(recordOf(pair.before))}</td><td class="tries"><i class="label">Second scan: </i>${outcome(recordOf(pair.after))}</td>
<td class="text" dir="auto">${shortened(text, MAX_ROW_LENGTH)}</td></tr>`;
  };
  const cut =
    pairs.length > MAX_ROWS
      ? html`<p class="small">${MAX_ROWS} of ${figure(pairs.length)} are shown, the worst first.</p>`
      : undefined;
  const columns = [hasSeverity ? 'Severity' : undefined, 'Kind', 'First scan', 'Second scan', 'Attack'];
  return table(columns, pairs.slice(0, MAX_ROWS).map(row), cut);
}

const WORDS: Readonly<Record<Tested['outcome'], string>> = {
  successful: 'successful',
  withstood: 'withstood',
  unanswered: 'no answer',
};

function outcome(tested: Tested | undefined): Html {
  if (tested === undefined) return html`<span class="missing">not run</span>`;
  const { asr } = tested;
  const isRate = tested.outcome === 'successful' && asr !== undefined;
  return html`${WORDS[tested.outcome]}${isRate ? html` <b>${percentage(asr)}</b>` : undefined}`;
}
