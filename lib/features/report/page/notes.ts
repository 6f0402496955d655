/** Renders the end of the page: explanations, missing parts and origin. */
import type { MissingPart, ReportData } from '../model.ts';
import { type Html, html } from './escape.ts';
import { counted, moment, name, shortened } from './format.ts';

const MAX_REASON_LENGTH = 400;

const WITHOUT: Readonly<Record<string, string>> = {
  DYNAMIC: 'A dynamic scan has goals and streams; severities and categories of attacks are those of a static one.',
  CUSTOM:
    'A scan with prompts of one’s own has no severities and categories, and the service publishes no remediation for it.',
};

export function notes(data: ReportData): Html {
  const without = WITHOUT[data.type];
  return notesSection(data, without === undefined ? [] : [html`${without}`], html`the scan ${name(data.job.uuid)}`);
}

/**
 * Renders the section and the footer.
 * @param more further explanations @param subject what the page is made for
 */
export function notesSection(
  { missing, createdAt, version, simulated }: Pick<ReportData, 'missing' | 'createdAt' | 'version' | 'simulated'>,
  more: readonly Html[],
  subject: Html,
): Html {
  return html`<section class="panel wide notes" id="notes" aria-labelledby="notes-title"><h2 id="notes-title">About this report</h2>
<ul>
<li><b>Attack success rate</b>: the share of attacks in which the target did what it should not have done.</li>
<li><b>Risk score</b>: from 0 to 100, as the service rates the scan.</li>
${more.map((each) => html`<li>${each}</li>`)}
${grouped(missing).map(missingItem)}
<li>Characters that cannot be seen are written as <code>&lt;U+202E&gt;</code>. Prompts and answers are shown as they were, cut where they are long.</li>
</ul>
<footer><p>Made by aisec ${version} on ${moment(new Date(createdAt).toISOString())} for ${subject}${simulated ? ', from answers of the simulated service' : undefined}.</p></footer></section>`;
}

/** Groups equal missing parts with their number. */
function grouped(missing: readonly MissingPart[]): readonly (MissingPart & { times: number })[] {
  const whats = [...new Set(missing.map(({ what }) => what))];
  return whats.flatMap((what) => {
    const same = missing.filter((each) => each.what === what);
    const [first] = same;
    return first === undefined ? [] : [{ ...first, times: same.length }];
  });
}

function missingItem({ what, why, failed, times }: MissingPart & { times: number }): Html {
  const often = times === 1 ? undefined : ` (${counted(times, 'time')})`;
  return html`<li class="loss"><b>${what}</b> ${failed ? 'could not be read' : 'is not there'}${often}: ${shortened(why, MAX_REASON_LENGTH)}</li>`;
}
