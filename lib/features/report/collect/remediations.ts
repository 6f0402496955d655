/** Renders the recommended remediations. */
import type { JsonObject } from '../../../engine/json.ts';
import type { ReportData } from '../model.ts';
import { type Html, html, link } from '../page/escape.ts';
import { name, shortened, textOf } from '../page/format.ts';
import { panel } from '../page/parts.ts';

const MAX_REMEDIATIONS = 40;
const MAX_LINKS = 5;
const MAX_DESCRIPTION_LENGTH = 1500;

/** Renders one panel, or none if the remediations could not be read. */
export function remediationPanels({ remediations }: ReportData): readonly Html[] {
  if (remediations === undefined) return [];
  if (remediations.length === 0) {
    return [panel('remediation', 'What to do', html`<p>The service recommends nothing.</p>`, 'wide')];
  }
  const left = remediations.length - MAX_REMEDIATIONS;
  const cut =
    left > 0 ? html`<p class="small">${MAX_REMEDIATIONS} of ${remediations.length} are shown.</p>` : undefined;
  const cards = html`<ol class="remedies">${remediations.slice(0, MAX_REMEDIATIONS).map(item)}</ol>${cut}`;
  return [panel('remediation', 'What to do', cards, 'wide')];
}

function item(remediation: JsonObject): Html {
  const levels: readonly (readonly [string, unknown])[] = [
    ['Priority', remediation['priority_level']],
    ['Effect', remediation['effectiveness_level']],
    ['Ease', remediation['ease_of_implementation_level']],
  ];
  const links: readonly unknown[] = Array.isArray(remediation['resource_links']) ? remediation['resource_links'] : [];
  const addresses = links.map(textOf).filter((address) => address !== undefined);
  const description = textOf(remediation['description']);
  return html`<li><h3>${name(remediation['remediation'])}</h3>
${description === undefined ? undefined : html`<p dir="auto">${shortened(description, MAX_DESCRIPTION_LENGTH)}</p>`}
<dl class="levels">${levels.map(level)}</dl>
${addresses.length === 0 ? undefined : html`<ul class="links">${addresses.slice(0, MAX_LINKS).map((address) => html`<li>${link(address)}</li>`)}</ul>`}</li>`;
}

function level([term, value]: readonly [string, unknown]): Html | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : html`<div><dt>${term}</dt><dd>${text.slice(0, 40)}${meter(text)}</dd></div>`;
}

const STEPS: Readonly<Record<string, number>> = { LOW: 1, MEDIUM: 2, HIGH: 3, CRITICAL: 3 };

function meter(level: string): Html | undefined {
  const filled = STEPS[level.toUpperCase()];
  if (filled === undefined) return undefined;
  const step = (_: unknown, index: number) =>
    html`<rect class="${index < filled ? 'on' : 'held'}" x="${index * 12}" y="0" width="10" height="8" rx="2"/>`;
  return html`<svg class="meter" width="34" height="8" aria-hidden="true">${Array.from({ length: 3 }, step)}</svg>`;
}
