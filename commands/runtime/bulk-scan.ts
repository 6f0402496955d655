import { BulkScan } from '../../context/runtime/bulk-scan.ts';
import { file, flag, list, number, text } from '../../lib/runtime/arguments/builders.ts';
import { command } from '../../lib/runtime/engine/command.ts';
import { one, type Wire } from '../../lib/runtime/output/record.ts';
import { readRow } from '../../lib/runtime/output/verdict.ts';
import { byName, SECURITY_PROFILES } from '../lookups.ts';
import { LIMITS } from './bulk-scan/calls.ts';
import { CONTENT_NAMES } from './bulk-scan/contents.ts';
import { PROMPT_COLUMN } from './bulk-scan/input.ts';
import { bulkStep } from './bulk-scan/step.ts';

const ID = { maxLength: 100 };
const output = { ...one(BulkScan), priority: (row: Wire) => readRow(row).decision !== 'allow' };
const extension = true;
/** A file name that hosts keep unchanged. */
const FILE_NAME = '^[^\\s./\\\\<>:"|?*][^/\\\\<>:"|?*\\x00-\\x1f]{0,69}$';

export const bulkScan = command('aisec-runtime-bulk-scan', 'Scan many prompts against a security profile.', {
  effect: 'run',
  args: {
    profile_name: text('Name of the security profile to apply.', {
      lookup: byName(SECURITY_PROFILES),
      required: true,
      schema: ID,
    }),
    prompts_csv: text('CSV text with a column named prompt, or one prompt per line.', {
      required: true,
      unless: 'entry_id',
      positional: true,
      content: true,
    }),
    session_id: text('Session id of the caller; it groups the scans.', { schema: ID }),
    entry_id: file(
      'File of prompts of any size: CSV, JSON Lines or one prompt per line. It replaces prompts_csv; without it, prompts_csv=file is rejected.',
      {
        extension,
      },
    ),
    prompt_column: text('Name of the column, or of the JSON member, that holds the prompts.', {
      default: PROMPT_COLUMN,
      extension,
    }),
    input_format: text(
      'Format of the prompts: csv, jsonl (one JSON object per line) or lines; by default, detected from the file name or the text.',
      {
        choices: ['csv', 'jsonl', 'lines'],
        extension,
      },
    ),
    delimiter: text('Column separator of a CSV; detected if it is unambiguous.', {
      choices: ['comma', 'semicolon', 'tab'],
      extension,
    }),
    keep_columns: list('Other columns to keep in each result row, under columns.', { extension }),
    scan_columns: list(
      'Columns to scan together with the prompt of their row, and to keep; a prompt may then be empty. Cells of tool_event are JSON. Result rows get scanned, response_detected and tool_detected.',
      { choices: CONTENT_NAMES, extension },
    ),
    output_file: text('Name of the JSONL file with every row; if you name it, the file is always written.', {
      extension,
      schema: { pattern: FILE_NAME, title: 'a file name without a folder, of at most 70 characters' },
    }),
    batch_size: number('Maximum number of prompts in one request.', {
      default: String(LIMITS.batch),
      extension,
      schema: { minimum: 1, maximum: LIMITS.batch },
    }),
    concurrency: number('Maximum number of concurrent requests.', {
      default: '8',
      extension,
      withoutEffectOnPlatform: true,
      schema: { minimum: 1, maximum: 64 },
    }),
    requests_per_second: number('Maximum number of requests per second; unlimited by default.', {
      extension,
      schema: { minimum: 1, maximum: 1000 },
    }),
    resume: flag('Resume a stopped run of the same prompts, profile and session.', {
      default: 'false',
      extension,
      withoutEffectOnPlatform: true,
    }),
  },
  output,
  example: 'profile_name=prod prompts_csv=file entry_id=prompts.csv',
  job: {
    output,
    title: () => 'bulk scan',
    begin: async () => ({}),
    step: (position, args, tools) => {
      const { profile_name, session_id, batch_size, concurrency, requests_per_second, ...input } = args;
      const batchSize = Math.min(batch_size, Number(position['batch'] ?? batch_size));
      const options = {
        ...{ subject: { profile_name, session_id }, scanColumns: input.scan_columns },
        ...{ batchSize, concurrency, perSecond: requests_per_second },
      };
      return bulkStep(position, { options, ...input }, tools);
    },
  },
});
