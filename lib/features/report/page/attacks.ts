/** Renders the successful attacks: the worst with the target's responses, the others in a table. */
import type { Attack, ReportData, Turn } from '../model.ts';
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

const MAX_NOTE_LENGTH = 600;

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
  return html`<li class="card"><div class="card-head">${pill(severity)}<h3>${path(where)}</h3>${safeMark(attack)}${rate(attack)}</div>
${goal === undefined ? undefined : html`<p class="goal"><b>Goal</b> <span dir="auto">${shortened(goal, MAX_NOTE_LENGTH)}</span></p>`}
${turns.length === 0 ? unanswered(prompt) : turns.map((each, index) => turn(each, index === 0 ? attackPrompt : undefined))}</li>`;
}

function unanswered(prompt: string | undefined): Html {
  return html`${sentPrompt(prompt)}<p class="missing">What the target answered is not reported.</p>`;
}

/** Renders one turn. @param attackPrompt the prompt of the whole attack, for a turn without its own */
function turn({ prompt, output, threat, title, note }: Turn, attackPrompt: string | undefined): Html {
  const label = threat ? 'Answer: the target gave in' : 'Answer';
  return html`${title === undefined ? undefined : html`<p class="turn">${shortened(title, 80)}</p>`}
<div class="exchange">${sentPrompt(prompt ?? attackPrompt)}
${output === undefined ? html`<p class="missing">No answer is reported.</p>` : quote(label, output, threat ? 'target threat' : 'target', MAX_OUTPUT_LENGTH)}</div>
${note === undefined ? undefined : html`<p class="small" dir="auto">${shortened(note, MAX_NOTE_LENGTH)}</p>`}`;
}

function sentPrompt(prompt: string | undefined): Html | undefined {
  return prompt === undefined ? undefined : quote('Attack', prompt, 'attacker', MAX_PROMPT_LENGTH);
}

function rate({ asr, tries, unit }: Attack): Html | undefined {
  if (tries !== undefined && tries.total > 0) {
    return html`<span class="tries">successful in <b>${figure(tries.hit)} of ${counted(tries.total, unit)}</b></span>`;
  }
  return asr === undefined
    ? undefined
    : html`<span class="tries">successful in <b>${percentage(asr)}</b> of the ${unit}s</span>`;
}

function otherAttacks(others: readonly Attack[], { attacks, successful }: ReportData): Html {
  const row = (attack: Attack) =>
    html`<tr><td>${pill(attack.severity)}${safeMark(attack)}</td><td>${path(attack.where)}</td>
<td class="tries">${attack.asr === undefined ? undefined : percentage(attack.asr)}</td>
<td class="text" dir="auto">${attack.prompt === undefined ? undefined : shortened(attack.prompt, MAX_ROW_LENGTH)}</td></tr>`;
  const cut =
    successful !== undefined && successful > attacks.length
      ? html`<p class="small">The page holds ${attacks.length} of ${counted(successful, 'successful attack')}, the worst first.</p>`
      : undefined;
  const content = table(['Severity', 'Kind', 'Success rate', 'Attack'], others.map(row), cut);
  return panel('others', 'The other successful attacks', content, 'wide');
}
