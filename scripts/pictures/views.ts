/** Lists the pictures of commands: one for the result of each command. */
import { LINE_FILES, linesAt } from '../../fixtures/lines/index.ts';
import { MODEL_SEED_IDS } from '../../fixtures/service/model-security/seed.ts';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { parseLine } from '../../lib/arguments/argv.ts';
import { shortName } from '../../lib/hosts/terminal/complete/command-name.ts';
import { groupOf } from '../../lib/hosts/terminal/views/command-groups.ts';
import { STILL } from './time.ts';

export interface View {
  /** Name of the picture, without its extension. */
  readonly name: string;
  readonly family: string;
  /** The command line after `aisec --simulate`. */
  readonly words: readonly string[];
  /** Exit code; 0 if absent. */
  readonly code?: number;
  /** The part of the screen that is drawn: its end, or the lines drawn in place before it. */
  readonly moment?: 'progress';
  /** Command lines that ran before, on the same tenant. */
  readonly before?: readonly (readonly string[])[];
  /** A red-team scan is under way. */
  readonly isScanning?: boolean;
}

const { jobs, promptSets } = RED_TEAM_IDS;
const scan = MODEL_SEED_IDS.scans.chat;

/** Lists as a person asks for them first, where the line of the tests has a filter or few records. */
const WHOLE_LISTS: Readonly<Record<string, string>> = {
  'aisec-runtime-api-keys-list': '',
  'aisec-runtime-topics-list': '',
  'aisec-runtime-dlp-profiles-list': '',
  'aisec-runtime-dlp-dictionaries-list': '',
  'aisec-redteam-targets-list': '',
  'aisec-redteam-adapters-list': '',
  'aisec-redteam-network-channels-list': '',
  'aisec-redteam-scans-list': '',
  'aisec-redteam-languages-list': '',
  'aisec-redteam-scan-error-logs': `job_id=${jobs.failed} limit=8`,
  'aisec-redteam-report-attacks-list': `job_id=${jobs.static} limit=12`,
  'aisec-redteam-prompt-sets-list': '',
  'aisec-redteam-prompts-list': `prompt_set_uuid=${promptSets.refundAbuse}`,
  'aisec-redteam-custom-attacks-list': `job_id=${jobs.custom}`,
  'aisec-model-security-scans-list': '',
  'aisec-model-security-scans-violations': `uuid=${scan}`,
  'aisec-model-security-scans-evaluations': `scan_uuid=${scan}`,
  'aisec-model-security-scans-files': `scan_uuid=${scan}`,
  'aisec-model-security-models-list': '',
  'aisec-model-security-rules-list': '',
};

/** Files in the folder of the user. */
export const COMMAND_FILES = LINE_FILES;

/** Lists the pictures of commands, one for each. @param names full names, in the order of the pictures */
export function commandViews(names: readonly string[]): View[] {
  const lines = linesAt(STILL);
  return names.map((name) => {
    const { pairs, positionals } = parseLine(`!${name} ${WHOLE_LISTS[name] ?? lines[name] ?? ''}`);
    const args = pairs.map((pair) => `${pair.name}=${String(pair.value)}`);
    return {
      name: shortName(name),
      family: groupOf({ name }),
      words: [shortName(name), ...positionals, ...args],
      isScanning: name === 'aisec-redteam-scan-abort',
    };
  });
}
