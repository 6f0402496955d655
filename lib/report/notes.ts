/** The end of the page: how to read it, what is missing, and where it comes from. */
import { type Html, html } from './escape.ts';
import type { Loss, ReportData } from './model.ts';
import { counted, moment, name, shortened } from './words.ts';

const LONGEST_REASON = 400;

const WITHOUT: Readonly<Record<string, string>> = {
  DYNAMIC: 'A dynamic scan has goals and streams; severities and categories of attacks are those of a static one.',
  CUSTOM:
    'A scan with prompts of one’s own has no severities and categories, and the service publishes no remediation for it.',
};

/** One section, and the line below it. */
export function notes(data: ReportData): Html {
  const { type, losses, madeAt, version, simulated } = data;
  const without = WITHOUT[type];
  return html`<section class="panel wide notes" id="notes" aria-labelledby="notes-title"><h2 id="notes-title">About this report</h2>
<ul>
<li><b>Attack success rate</b>: the share of attacks in which the target did what it should not have done.</li>
<li><b>Risk score</b>: from 0 to 100, as the service rates the scan.</li>
${without === undefined ? undefined : html`<li>${without}</li>`}
${grouped(losses).map(loss)}
<li>Characters that cannot be seen are written as <code>&lt;U+202E&gt;</code>. Prompts and answers are shown as they were, cut where they are long.</li>
</ul>
<footer><p>Made by aisec ${version} on ${moment(new Date(madeAt).toISOString())} for the scan ${name(data.job['uuid'])}${simulated ? ', from answers of the simulated service' : undefined}.</p></footer></section>`;
}

/** The same loss is told once, with how often it came. */
function grouped(losses: readonly Loss[]): readonly (Loss & { times: number })[] {
  const whats = [...new Set(losses.map(({ what }) => what))];
  return whats.flatMap((what) => {
    const same = losses.filter((each) => each.what === what);
    const [first] = same;
    return first === undefined ? [] : [{ ...first, times: same.length }];
  });
}

function loss({ what, why, failed, times }: Loss & { times: number }): Html {
  const often = times === 1 ? undefined : ` (${counted(times, 'time')})`;
  return html`<li class="loss"><b>${what}</b> ${failed ? 'could not be read' : 'is not there'}${often}: ${shortened(why, LONGEST_REASON)}</li>`;
}
