/** Lines about model scans, and helpers for this family of tests. */
import { MODEL_SEED_IDS } from '../../../fixtures/service/model-security/seed.ts';
import type { WarRoom } from '../../support/simulated.ts';

export const CREATE = '!aisec-model-security-scans-create';
export const GET = '!aisec-model-security-scans-get';
export const VIOLATIONS = '!aisec-model-security-scans-violations';
export const EVALUATIONS = '!aisec-model-security-scans-evaluations';
export const FILES = '!aisec-model-security-scans-files';

export const HUB = 'https://hub.example.com';

const { hub } = MODEL_SEED_IDS.groups;

/** A line that scans a model; without a group, against the hub's default rules. */
export const createLine = (uri: string, more = '', group: string = hub) =>
  `${CREATE} model_uri=${uri} security_group_uuid=${group} ${more}`;

export type Fields = Readonly<Record<string, unknown>>;

/** The rows of a list inside one record. */
export async function rowsOf(room: WarRoom, line: string, member: string): Promise<Fields[]> {
  const rows = (await room.value(line))[member];
  if (!Array.isArray(rows)) throw new Error(`${line} left no ${member}`);
  return rows;
}

/** Creates a scan and runs it to its end. @returns the finished scan */
export async function scanned(room: WarRoom, uri: string, more = '', group: string = hub): Promise<Fields> {
  const { uuid } = await room.value(createLine(uri, more, group));
  room.clock.advance(5000);
  return room.value(`${GET} uuid=${String(uuid)}`);
}
