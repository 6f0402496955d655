/**
 * Renders attacks: for one scan the successful attacks, the worst with the target's responses; for a comparison the
 * newly successful attacks with both responses. All others are in tables.
 */
import type { AnsweredPair, ComparisonData } from '../../scans/collect/collect-comparison.ts';
import { type Comparison, type Pair, recordOf, shownOf } from '../../scans/compare.ts';
import { type Html, html } from '../../scans/escape.ts';
import { counted, figure, percentage, shortenedHtml } from '../../scans/format.ts';
import type { Attack, ReportData, Turn } from '../../scans/report-data.ts';
import type { Tested } from '../../scans/tested.ts';
import { isSuccessful, reasonCounts } from '../comparison-summary.ts';
import { classification, htmlTable, panel, pill, quote, safeMark } from './page.ts';

const MAX_PROMPT_LENGTH = 1200;
const MAX_OUTPUT_LENGTH = 1600;
const MAX_ROW_LENGTH = 240;
const MAX_NOTE_LENGTH = 600;
/** Maximum rows of a comparison's table. */
const MAX_PAIRS = 200;

const TITLES: Readonly<Record<string, string>> = {
  DYNAMIC: 'How the target gave in',
  CUSTOM: 'The prompts that were most often successful',
};

/** Renders the panels, or a sentence if no attack was successful. */
export function attackPanels(data: ReportData): readonly Html[] {
  const { attacks, successful, type } = data;
  const title = TITLES[type] ?? 'The worst successful attacks';
  if (attacks.length === 0) {
    if (successful !== 0) return [];
    return [panel('attacks', title, html`<p class="good">No attack was successful.</p>`, 'wide')];
  }
  const detailed = attacks.filter(({ turns }) => turns !== undefined);
  const others = attacks.slice(detailed.length);
  const cards = html`<ol class="cards">${detailed.map(card)}</ol>`;
  return [panel('attacks', title, cards, 'wide'), ...(others.length === 0 ? [] : [otherAttacks(others, data)])];
}

function card(attack: Attack): Html {
  const { severity, where, goal, prompt, turns = [] } = attack;
  const attackPrompt = turns[0]?.prompt === undefined ? prompt : undefined;
  return html`<li class="card"><div class="card-head">${pill(severity)}<h3>${classification(where)}</h3>${safeMark(attack)}${rate(attack)}</div>
${goal === undefined ? undefined : html`<p class="goal"><b>Goal</b> <span dir="auto">${shortenedHtml(goal, MAX_NOTE_LENGTH)}</span></p>`}
${turns.length === 0 ? unanswered(prompt) : turns.map((each, index) => turn(each, index === 0 ? attackPrompt : undefined))}</li>`;
}

function unanswered(prompt: string | undefined): Html {
  return html`${sentPrompt(prompt)}<p class="missing">What the target answered is not reported.</p>`;
}

/** Renders one turn. @param attackPrompt the prompt of the whole attack, for a turn without its own */
function turn({ prompt, output, threat, title, note }: Turn, attackPrompt: string | undefined): Html {
  const label = threat ? 'Answer: the target gave in' : 'Answer';
  return html`${title === undefined ? undefined : html`<p class="turn">${shortenedHtml(title, 80)}</p>`}
<div class="exchange">${sentPrompt(prompt ?? attackPrompt)}
${output === undefined ? html`<p class="missing">No answer is reported.</p>` : quote(label, output, threat ? 'target threat' : 'target', MAX_OUTPUT_LENGTH)}</div>
${note === undefined ? undefined : html`<p class="small" dir="auto">${shortenedHtml(note, MAX_NOTE_LENGTH)}</p>`}`;
}

function sentPrompt(prompt: string | undefined): Html | undefined {
  return prompt === undefined ? undefined : quote('Attack', prompt, 'attacker', MAX_PROMPT_LENGTH);
}

function rate(attack: Attack): Html | undefined {
  const text = successes(attack);
  if (text === undefined) return undefined;
  const isShare = (attack.tries?.total ?? 0) <= 0;
  return html`<span class="tries">successful in <b>${text}</b>${isShare ? ` of the ${attack.unit}s` : undefined}</span>`;
}

/** Says how often an attack was successful; undefined if not reported. */
function successes({ asr, tries, unit }: Attack): string | undefined {
  if (tries !== undefined && tries.total > 0) return `${figure(tries.hit)} of ${counted(tries.total, unit)}`;
  return asr === undefined ? undefined : percentage(asr);
}

function otherAttacks(others: readonly Attack[], { attacks, successful }: ReportData): Html {
  const row = (attack: Attack) =>
    html`<tr><td>${pill(attack.severity)}${safeMark(attack)}</td><td>${classification(attack.where)}</td>
<td class="tries">${attack.asr === undefined ? undefined : percentage(attack.asr)}</td>
<td class="text" dir="auto">${attack.prompt === undefined ? undefined : shortenedHtml(attack.prompt, MAX_ROW_LENGTH)}</td></tr>`;
  const cut =
    successful !== undefined && successful > attacks.length
      ? html`<p class="small">The page holds ${attacks.length} of ${counted(successful, 'successful attack')}, the worst first.</p>`
      : undefined;
  const content = htmlTable(['Severity', 'Kind', 'Success rate', 'Attack'], others.map(row), cut);
  return panel('others', 'The other successful attacks', content, 'wide');
}

/** Renders the panels; a class without attacks has no panel, except newly successful attacks. */
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
  const cards = html`<ol class="cards">${answered.map(pairCard)}</ol>`;
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

function pairCard({ pair, before, after }: AnsweredPair): Html {
  const { text, where = [] } = shownOf(pair) ?? {};
  const turn = decisive(after);
  const prompt = turn?.prompt === text ? undefined : turn?.prompt;
  return html`<li class="card"><div class="card-head">${pill(after.severity)}<h3>${classification(where)}</h3>${safeMark(after)}<span class="tries">${successes(before) ?? 'not reported'} → <b>${successes(after) ?? 'not reported'}</b></span></div>
${text === undefined ? undefined : quote(after.unit === 'stream' ? 'Goal' : 'Attack', text, 'attacker', MAX_PROMPT_LENGTH)}
${turn?.title === undefined ? undefined : html`<p class="turn">${shortenedHtml(turn.title, 80)}</p>`}
${prompt === undefined ? undefined : quote('Attack', prompt, 'attacker', MAX_PROMPT_LENGTH)}
<div class="answers">${answer('First scan: the target withstood', before, 'target')}${answer('Second scan: the target gave in', after, 'target threat')}</div></li>`;
}

/** Returns the decisive turn: the turn in which the target gave in, or the last turn. */
function decisive({ turns = [] }: Attack): Turn | undefined {
  return turns.find(({ threat }) => threat) ?? turns.at(-1);
}

function answer(label: string, attack: Attack, side: string): Html {
  const output = decisive(attack)?.output;
  if (output !== undefined) return quote(label, output, side, MAX_OUTPUT_LENGTH);
  return html`<figure class="quote ${side}"><figcaption>${label}</figcaption><p class="missing">${attack.unit === 'stream' ? 'The target withstood in every stream.' : 'No answer is reported.'}</p></figure>`;
}

function pairTable(pairs: readonly Pair[]): Html {
  // Goals and custom prompts have no severity.
  const hasSeverity = pairs.some((pair) => shownOf(pair)?.severity !== undefined);
  const row = (pair: Pair) => {
    const { severity, where = [], text = '', markedSafe = false } = shownOf(pair) ?? {};
    const first = hasSeverity ? html`<td>${pill(severity)}${safeMark({ markedSafe })}</td>` : undefined;
    return html`<tr>${first}<td class="kind">${classification(where)}</td>
<td class="tries"><i class="label">First scan: </i>${outcome(recordOf(pair.before))}</td><td class="tries"><i class="label">Second scan: </i>${outcome(recordOf(pair.after))}</td>
<td class="text" dir="auto">${shortenedHtml(text, MAX_ROW_LENGTH)}</td></tr>`;
  };
  const cut =
    pairs.length > MAX_PAIRS
      ? html`<p class="small">${MAX_PAIRS} of ${figure(pairs.length)} are shown, the worst first.</p>`
      : undefined;
  const columns = [hasSeverity ? 'Severity' : undefined, 'Kind', 'First scan', 'Second scan', 'Attack'];
  return htmlTable(columns, pairs.slice(0, MAX_PAIRS).map(row), cut);
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
