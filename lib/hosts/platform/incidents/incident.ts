/** An incident of the platform. */
import type { JsonObject } from '../../../core/json.ts';

/** Severities of the platform. */
export const SEVERITY = { low: 1, medium: 2, high: 3, critical: 4 } as const;

export interface Incident {
  readonly name: string;
  /** ISO time. */
  readonly occurred: string;
  readonly severity: number;
  /** JSON, from which the classifier and the mapper read. */
  readonly rawJSON: string;
}

/** Kinds that the classifier of the pack distinguishes. */
export type IncidentKind = 'red_team_scan' | 'model_scan' | 'key_expiry' | 'violation';

/**
 * Creates an incident.
 * @param id identifies the incident within its kind
 * @param details members of the raw incident
 */
export function incidentOf(
  kind: IncidentKind,
  id: string,
  { name, occurred, severity }: Omit<Incident, 'rawJSON'>,
  details: JsonObject,
): Incident {
  const raw = { ...details, aisec_kind: kind, aisec_id: id, aisec_summary: name };
  return { name, occurred, severity, rawJSON: JSON.stringify(raw) };
}
