/** An entry of the error log of a target or a scan. */
import { number, string, timestamp, unknown } from '../../lib/runtime/output/record.ts';

const hidden = true;

export const errorLogEntry = {
  created_at: timestamp('When the error was recorded.'),
  error_type: string('Type of the error, such as NETWORK, AUTHENTICATION or VALIDATION.'),
  error_source: string('Where the error came from, such as TARGET, JOB or SYSTEM.'),
  error_message: string('Error message.'),
  target_id: string('Identifier of the target.'),
  target_version: number('Version of the target at that time.'),
  job_id: string('Identifier of the scan, if there is one.'),
  attack_id: string('Identifier of the attack, if there is one.'),
  updated_at: timestamp('When the entry was last changed.', { hidden }),
  target_object: unknown('Snapshot of the target at that time.', { hidden }),
  extra_info: unknown('Further details.', { hidden }),
  version: number('Version of the entry.', { hidden }),
};
