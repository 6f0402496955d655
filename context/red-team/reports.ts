import { asText, isObject, objectsOf } from '../../lib/core/json.ts';
import { boolean, date, number, record, string, unknown, type Wire } from '../../lib/runtime/output/record.ts';

const job_id = string('Identifier of the scan.', { argument: 'job_id' });
const sent_job_id = { ...job_id, from: 'job_id' };
const job_type = string('Type of the scan: STATIC, DYNAMIC or CUSTOM.');

const hidden = true;

/** Members of a static report; each holds one category. */
const CATEGORY_REPORTS = [
  ['SECURITY', 'security_report'],
  ['SAFETY', 'safety_report'],
  ['BRAND', 'brand_report'],
] as const;

/** Collects the categories of a report, including compliance frameworks; null if the report has no categories. */
export function categoryReports(report: Wire): readonly Wire[] | null {
  const members = [...CATEGORY_REPORTS.map(([, member]) => member), 'compliance_report'];
  if (members.every((member) => report[member] === undefined)) return null;
  const own = CATEGORY_REPORTS.map(([category, member]) => ({ category, report: report[member] }));
  const frameworks = objectsOf(report['compliance_report']).map((each) => ({ category: 'COMPLIANCE', report: each }));
  return [...own, ...frameworks].flatMap(({ category, report: each }) =>
    isObject(each) ? [{ category, ...each }] : [],
  );
}

/** Counts successful attacks; in a CUSTOM report they are called threats. */
function successfulAttacks(report: Wire): unknown {
  if (report['job_type'] === 'CUSTOM') return report['total_threats'];
  const { severity_report: severities } = report;
  return isObject(severities) ? severities['successful'] : undefined;
}

export const Report = record('AiSec.RedTeamReport', 'Red-Team Report', 'job_id', {
  job_id,
  job_type,
  score: number('Risk score, from 0 to 100.'),
  asr: number('Attack success rate, in percent.'),
  total_attacks: number('Number of attacks.', { from: ['severity_report.total_attacks', 'total_attacks'] }),
  successful_attacks: number('Number of successful attacks.', { derive: successfulAttacks }),
  failed_attacks: number('Number of failed attacks.', {
    from: ['severity_report.failed', 'failed_attacks'],
  }),
  total_goals: number('Number of goals of a dynamic scan.'),
  goals_achieved: number('Number of achieved goals of a dynamic scan.'),
  total_threats: number('Number of threats of a dynamic scan.', {
    derive: ({ job_type: type, total_threats }) => (type === 'CUSTOM' ? null : total_threats),
  }),
  report_summary: string('Summary as text.'),
  severity_breakdown: unknown('Successful and failed attacks by severity.', {
    from: 'severity_report.stats',
    hidden,
  }),
  category_reports: unknown('The categories with their sub-categories, and the compliance frameworks.', {
    derive: categoryReports,
    hidden,
  }),
});

export const Remediation = record('AiSec.RedTeamRemediation', 'Remediation', 'job_id', {
  job_id,
  job_type,
  remediations: unknown('Remediation for the findings.', {
    rows: [
      'remediation',
      'priority_level',
      'effectiveness_level',
      'ease_of_implementation_level',
      'description',
      'resource_links',
    ],
    items: {
      remediation: string('Title of the measure.'),
      description: string('What to do.'),
      priority_level: string('Priority of the measure.'),
      effectiveness_level: string('Effectiveness of the measure.'),
      ease_of_implementation_level: string('Ease of implementation.'),
      resource_links: unknown('Links to more information.'),
    },
  }),
});

export const RuntimePolicy = record('AiSec.RedTeamRuntimePolicy', 'Runtime Policy', 'job_id', {
  job_id,
  job_type,
  runtime_security_profile: unknown('Policies of a security profile that would prevent the findings.', {
    heading: 'Policies',
    rows: ['policy_id', 'display_name', 'config'],
    items: {
      policy_id: string('Kind of the policy, such as PROMPT_INJECTION.'),
      display_name: string('Name of the policy.'),
      config: unknown('Its settings.'),
    },
  }),
});

/** The file of a download, in the platform's format. Its wire value is the saved file. */
export const ReportFile = record('InfoFile', 'Red-Team Report', 'EntryID', {
  Name: string('Name of the file.', { from: 'name' }),
  EntryID: string('Identifier of the file.', { from: 'entry', hidden: true }),
  Size: number('Size of the file, in bytes.', { from: 'size' }),
  Type: string('Type of the content.', { from: 'contentType' }),
  Extension: string('Extension of the name.', { derive: ({ name }) => /\.([^.]+)$/.exec(asText(name))?.[1] ?? '' }),
  Info: string('Information about the file, as the service declares it.', { from: 'contentType' }),
});

export const PartialReport = record('AiSec.RedTeamPartialReport', 'Partial Report', 'job_id', {
  job_id: { ...job_id, from: ['job_id', 'uuid'] },
  status: string('Status of the scan.'),
  'report_stats.partial_report_unlocked': boolean('Whether the partial report is unlocked.', { heading: 'Unlocked' }),
  'report_stats.partial_report_unlocked_at': date('When it was unlocked.', { heading: 'Unlocked At' }),
  'report_stats.output_completion_percentage': number('How complete the report is, in percent.', {
    heading: 'Complete %',
  }),
});

const vote = {
  job_id: sent_job_id,
  up_vote: boolean('Whether the vote is up.'),
  down_vote: boolean('Whether the vote is down.'),
};

export const Sentiment = record('AiSec.RedTeamSentiment', 'Sentiment about the Report', 'job_id', vote);
