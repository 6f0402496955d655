/** Renders the successful attacks: the worst with the target's responses, the others in a table. */

import type { Attack, ReportData, Turn } from '../model.ts';
import { type Html, html } from './escape.ts';
import { counted, figure, name, percentage, shortened } from './format.ts';
import { panel, pill, quoted } from './parts.ts';

export const MAX_PROMPT_LENGTH = 1200;
export const MAX_OUTPUT_LENGTH = 1600;
const MAX_NOTE_LENGTH = 600;
export const MAX_ROW_LENGTH = 240;

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
  const close = attacks.filter(({ turns }) => turns !== undefined);
  const others = attacks.slice(close.length);
  const cards = html`<ol class="cards">${close.map(card)}</ol>`;
  return [panel('attacks', title, cards, 'wide'), ...(others.length === 0 ? [] : [table(others, data)])];
}

function card(attack: Attack): Html {
  const { severity, where, goal, prompt, turns = [] } = attack;
  const attackPrompt = turns[0]?.prompt === undefined ? prompt : undefined;
  return html`<li class="card"><div class="card-head">${pill(severity)}<h3>${path(where)}</h3>${safe(attack)}${rate(attack)}</div>
${goal === undefined ? undefined : html`<p class="goal"><b>Goal</b> <span dir="auto">${shortened(goal, MAX_NOTE_LENGTH)}</span></p>`}
${turns.length === 0 ? unanswered(prompt) : turns.map((each, index) => turn(each, index === 0 ? attackPrompt : undefined))}</li>`;
}

function unanswered(prompt: string | undefined): Html {
  return html`${prompt === undefined ? undefined : attack(prompt)}<p class="missing">What the target answered is not reported.</p>`;
}

/** Renders one turn. @param attackPrompt the prompt of the whole attack, for a turn without its own */
function turn({ prompt, output, threat, title, note }: Turn, attackPrompt: string | undefined): Html {
  const question = prompt ?? attackPrompt;
  const label = threat ? 'Answer: the target gave in' : 'Answer';
  return html`${title === undefined ? undefined : html`<p class="turn">${shortened(title, 80)}</p>`}
<div class="exchange">${question === undefined ? undefined : attack(question)}
${output === undefined ? html`<p class="missing">No answer is reported.</p>` : quote(label, output, threat ? 'target threat' : 'target', MAX_OUTPUT_LENGTH)}</div>
${note === undefined ? undefined : html`<p class="small" dir="auto">${shortened(note, MAX_NOTE_LENGTH)}</p>`}`;
}

function attack(prompt: string): Html {
  return quote('Attack', prompt, 'attacker', MAX_PROMPT_LENGTH);
}

/** Renders a labelled quotation. @param side such as `target threat`, for the style */
export function quote(label: string, text: string, side: string, most: number): Html {
  return html`<figure class="quote ${side}"><figcaption>${label}</figcaption>${quoted(text, most)}</figure>`;
}

/** Renders a classification. */
export function path(where: readonly string[]): Html {
  if (where.length === 0) return html`Attack`;
  return html`${where.map((part, index) => html`${index === 0 ? undefined : html` <span aria-hidden="true">›</span> `}${name(part)}`)}`;
}

function rate({ asr, tries, unit }: Attack): Html | undefined {
  if (tries !== undefined && tries.total > 0) {
    return html`<span class="tries">successful in <b>${figure(tries.hit)} of ${counted(tries.total, unit)}</b></span>`;
  }
  return asr === undefined
    ? undefined
    : html`<span class="tries">successful in <b>${percentage(asr)}</b> of the ${unit}s</span>`;
}

/** Renders the mark of a user. */
export function safe({ markedSafe }: Pick<Attack, 'markedSafe'>): Html | undefined {
  return markedSafe ? html`<span class="pill other">marked as safe</span>` : undefined;
}

function table(others: readonly Attack[], { attacks, successful }: ReportData): Html {
  const missing = successful !== undefined && successful > attacks.length;
  const row = (
    attack: Attack,
  ) => html`<tr><td>${pill(attack.severity)}${safe(attack)}</td><td>${path(attack.where)}</td>
<td class="tries">${attack.asr === undefined ? undefined : percentage(attack.asr)}</td>
<td class="text" dir="auto">${attack.prompt === undefined ? undefined : shortened(attack.prompt, MAX_ROW_LENGTH)}</td></tr>`;
  const cut = missing
    ? html`<p class="small">The page holds ${attacks.length} of ${counted(successful, 'successful attack')}, the worst first.</p>`
    : undefined;
  return panel(
    'others',
    'The other successful attacks',
    html`<table><thead><tr><th scope="col">Severity</th><th scope="col">Kind</th><th scope="col">Success rate</th><th scope="col">Attack</th></tr></thead><tbody>${others.map(row)}</tbody></table>${cut}`,
    'wide',
  );
}
