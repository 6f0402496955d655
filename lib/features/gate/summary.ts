/** Shows a verdict as a page of markdown, for the summary of a pipeline. */
import { markdown } from '../../output/markdown.ts';
import { tableOf } from '../../output/readable.ts';
import { placeText } from './finding.ts';
import type { DecidedFinding, Verdict } from './verdict.ts';

const MAX_SHOWN = 50;

/** Renders the page. @param simulated the answers came from the simulated service */
export function summaryPage(verdict: Verdict, simulated: boolean): string {
  const { subject, failed, unfinished, summary, findings, limits, notes = [] } = verdict;
  const state = unfinished === undefined ? (failed ? 'failed' : 'passed') : 'has no verdict';
  const shown = findings.filter(({ level }) => level !== 'note');
  const more = shown.length > MAX_SHOWN ? [`${shown.length - MAX_SHOWN} more findings are not shown.`] : [];
  return markdown({
    title: `aisec gate ${subject}: ${state}`,
    simulated,
    tables: [
      ...(limits.length === 0
        ? []
        : [tableOf(limits.map(({ source, broken, used }) => ({ limit: source, result: broken ?? used ?? 'holds' })))]),
      ...(shown.length === 0 ? [] : [tableOf(shown.slice(0, MAX_SHOWN).map(rowOf), { title: 'Findings' })]),
    ],
    notes: [summary, ...more, ...notes],
  });
}

function rowOf({ level, severity, title, place, fingerprint }: DecidedFinding) {
  return { level, severity, finding: title, location: placeText(place), fingerprint };
}
