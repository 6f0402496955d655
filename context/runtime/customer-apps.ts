import { asText, isObject, objectOf } from '../../lib/core/json.ts';
import { date, number, record, string, timestamp, unknown, type Wire } from '../../lib/runtime/output/record.ts';
import { deleted, message } from '../deletion.ts';

const base = {
  id: string('Identifier of the application.', { from: 'customer_appId' }),
  name: string('Name of the application.', { from: 'app_name' }),
  model_name: string('AI model that the application uses.'),
  cloud_provider: string('Cloud provider: cloud_a, cloud_b, cloud_c or other.', { tokens: 'cloud' }),
  environment: string('Environment: prod, staging or dev.'),
  ai_agent_framework: string('Agent framework of the application.'),
  tsg_id: string('Tenant services group of the application.'),
};

const detail = {
  ...base,
  status: string('Status of the application.'),
  created_by: string('Who created the application.'),
  updated_by: string('Who updated the application last.'),
};

export const CustomerApp = record('AiSec.CustomerApp', 'Customer Applications', 'id', base, {
  firstColumns: ['name', 'id', 'model_name', 'cloud_provider', 'environment', 'ai_agent_framework'],
});

export const CustomerAppGet = record('AiSec.CustomerAppGet', 'Customer Application', 'id', detail);

export const CustomerAppUpdate = record('AiSec.CustomerAppUpdate', 'Customer Application Updated', 'id', detail);

export const CustomerAppDeleted = record('AiSec.CustomerAppDeleted', 'Customer Application Deleted', 'app_name', {
  app_name: string('Name of the application.', { argument: 'app_name' }),
  deleted_by: string('Email address of the person who deleted the application.', { argument: 'updated_by' }),
  message,
  deleted,
});

const tokens = (name: string) => ({ from: `token_stats.${name}` });
const sessions = (name: string) => ({ from: `session_stats.${name}` });
const violations = (name: string) => sessions(`violation_breakdown.${name}`);

export const CustomerAppConsumption = record(
  'AiSec.CustomerAppConsumption',
  'Application Consumption',
  ['id', 'name'],
  {
    id: string('Identifier of the application.', { argument: 'app_id' }),
    name: string('Name of the application, as in the metadata of its scans.', { argument: 'app_name' }),
    cloud: string('Cloud provider of the application.', { tokens: 'cloud' }),
    source: string('How the application reaches the service, such as api or sdk.'),
    created_at: timestamp('When the application was first seen.'),
    updated_at: timestamp('When the application was last changed.'),
    profiles: unknown('Security profiles that the application uses.'),
    average_daily_tokens: number(
      'Average number of tokens a day, in the unit of its scale.',
      tokens('average_daily_tokens'),
    ),
    average_daily_tokens_scale: string('Scale of the average, such as K or M.', tokens('average_daily_tokens_scale')),
    monthly_total_tokens: number('Number of tokens a month, in the unit of its scale.', tokens('monthly_total_tokens')),
    monthly_total_tokens_scale: string(
      'Scale of the monthly total, such as K or M.',
      tokens('monthly_total_tokens_scale'),
    ),
    sessions_total: number('Number of sessions.', sessions('total')),
    sessions_violating: number('Number of sessions with violations.', sessions('violating')),
    last_session_id: string('Identifier of the most recent session.', sessions('last_session_id')),
    most_recent_session_time: date('When the most recent session took place.', sessions('most_recent_session_time')),
    violations_critical: number('Number of critical violations.', violations('critical')),
    violations_high: number('Number of violations of high severity.', violations('high')),
    violations_medium: number('Number of violations of medium severity.', violations('medium')),
    violations_low: number('Number of violations of low severity.', violations('low')),
    violations_total: number('Number of violations.', violations('total')),
  },
);

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'total'] as const;

const detector = {
  detection_type: string('What was detected.'),
  critical: number('Critical violations.'),
  high: number('Violations of high severity.'),
  medium: number('Violations of medium severity.'),
  low: number('Violations of low severity.'),
  total: number('Total number of violations.'),
};

export const CustomerAppViolations = record(
  'AiSec.CustomerAppViolations',
  'Application Violations',
  ['app_id', 'app_name'],
  {
    app_id: string('Identifier of the application.', { argument: 'app_id' }),
    app_name: string('Name of the application, as in the metadata of its scans.', { argument: 'app_name' }),
    total_violating: number('Number of sessions with violations.', { derive: (wire) => wire['total_violating'] ?? 0 }),
    time_interval: number('Length of the window, in days.', { argument: 'time_interval' }),
    time_unit: string('Unit of the window.', { argument: 'time_unit' }),
    detectors: unknown('Violations by detector and severity, the most frequent first.', {
      derive: (wire) => detectorsOf(wire['detection_type_violation_breakdown']),
      rows: ['detection_type', ...SEVERITIES],
      items: detector,
    }),
  },
);

function detectorsOf(breakdown: unknown): unknown {
  if (!Array.isArray(breakdown) || !breakdown.every(isObject)) return breakdown ?? [];
  return breakdown.map(detectorOf).sort((a, b) => countOf(b) - countOf(a));
}

const countOf = ({ total }: Wire) => Number(asText(total));

function detectorOf(entry: Wire): Record<string, unknown> {
  const counts = objectOf(entry['violation_breakdown']);
  const detector: Record<string, unknown> = { detection_type: entry['detection_type'] ?? null };
  for (const severity of SEVERITIES) detector[severity] = counts[severity] ?? 0;
  return detector;
}
