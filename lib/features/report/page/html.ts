/** The report page of one scan. */
import { numberOf, textOf } from '../../../core/received.ts';
import type { ReportData } from '../model.ts';
import { partlyRun } from '../refusals.ts';
import { attackPanels } from './attacks.ts';
import { breakdowns } from './breakdowns.ts';
import { type Html, html } from './escape.ts';
import { figure, name } from './format.ts';
import { goalPanels } from './goals.ts';
import { incompleteBanner, notesSection, pageOf, RED_TEAM_TERMS } from './page.ts';
import { remediationPanels } from './remediations.ts';
import { heading, scorecard } from './scorecard.ts';

const WITHOUT: Readonly<Record<string, string>> = {
  DYNAMIC: 'A dynamic scan has goals and streams; severities and categories of attacks are those of a static one.',
  CUSTOM:
    'A scan with prompts of one’s own has no severities and categories, and the service publishes no remediation for it.',
};

export function reportPage(data: ReportData): string {
  const { job, type, simulated } = data;
  const without = WITHOUT[type] === undefined ? [] : [html`${WITHOUT[type]}`];
  return pageOf({
    title: textOf(job.name) ?? 'Scan without a name',
    kind: 'AI red-team report',
    scan: textOf(job.uuid),
    simulated,
    banners: banners(data),
    main: html`${heading(data)}
${scorecard(data)}
<div class="grid">
${sections(data)}
</div>
${notesSection(data, [...RED_TEAM_TERMS, ...without], html`the scan ${name(job.uuid)}`)}`,
  });
}

function sections(data: ReportData): readonly Html[] {
  return [...breakdowns(data), ...goalPanels(data), ...attackPanels(data), ...remediationPanels(data)];
}

/** Renders warnings at the top: partial, incomplete. */
function banners({ job, missing }: ReportData): readonly (Html | undefined)[] {
  const done = numberOf(job.progress_percentage);
  return [
    job.status === 'PARTIALLY_COMPLETE' || partlyRun(job) !== undefined
      ? html`<p class="banner partial"><b>PARTIAL</b> The scan did not finish${done === undefined ? undefined : html`: ${figure(done)} % of it is done`}.</p>`
      : undefined,
    incompleteBanner(missing),
  ];
}
