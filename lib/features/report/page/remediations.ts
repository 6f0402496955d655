/** Renders the recommended remediations. */
import type { Remediation, ReportData } from '../model.ts';
import { type Html, html, link } from './escape.ts';
import { name, shortened } from './format.ts';
import { panel } from './parts.ts';

const MAX_REMEDIATIONS = 40;
const MAX_LINKS = 5;
const MAX_DESCRIPTION_LENGTH = 1500;

/** Renders one panel, or none if the remediations could not be read. */
export function remediationPanels({ remediations }: ReportData): readonly Html[] {
  if (remediations === undefined) return [];
  if (remediations.length === 0) {
    return [panel('remediation', 'What to do', html`<p>The service recommends nothing.</p>`, 'wide')];
  }
  const cut =
    remediations.length > MAX_REMEDIATIONS
      ? html`<p class="small">${MAX_REMEDIATIONS} of ${remediations.length} are shown.</p>`
      : undefined;
  const cards = html`<ol class="remedies">${remediations.slice(0, MAX_REMEDIATIONS).map(item)}</ol>${cut}`;
  return [panel('remediation', 'What to do', cards, 'wide')];
}

function item(remediation: Remediation): Html {
  const { description, resource_links, priority_level, effectiveness_level, ease_of_implementation_level } =
    remediation;
  const links = resource_links.slice(0, MAX_LINKS).map((address) => html`<li>${link(address)}</li>`);
  return html`<li><h3>${name(remediation.remediation)}</h3>
${description === undefined ? undefined : html`<p dir="auto">${shortened(description, MAX_DESCRIPTION_LENGTH)}</p>`}
<dl class="levels">${level('Priority', priority_level)}${level('Effect', effectiveness_level)}${level('Ease', ease_of_implementation_level)}</dl>
${links.length === 0 ? undefined : html`<ul class="links">${links}</ul>`}</li>`;
}

function level(term: string, text: string | undefined): Html | undefined {
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
