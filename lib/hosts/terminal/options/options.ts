/** Declares the command-line options; parsing, help and types are derived from this table. */
import type { OptionKind } from '../../../arguments/argv.ts';
import type { LogLevel } from '../../../log/log.ts';
import { SETTINGS } from '../../../settings/parameters.ts';

export const FORMATS = ['table', 'json', 'jsonl', 'context', 'entry', 'markdown', 'csv', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

/** Tells whether programs read the format; errors are JSON too where it was asked for by name. */
export function isForPrograms(format: Format): boolean {
  return format !== 'table' && format !== 'markdown';
}

export interface Option {
  /** Name without dashes. Default: the property's name with hyphens. */
  readonly name?: string;
  readonly kind: OptionKind;
  /** Placeholder of its value in help. */
  readonly value?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** The largest integer that it takes; absent: fractions are valid too. */
  readonly largest?: number;
  /** The number is a time limit in seconds, which becomes a timer. */
  readonly isTimeLimit?: boolean;
  /** Subcommands that take it; absent: commands take it. */
  readonly of?: readonly string[];
  /** May also end a line of the war room. */
  readonly inRoom?: boolean;
}

// Repeated here, because help must not load the log.
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'silent'] as const satisfies readonly LogLevel[];

/** Options by the property that the program reads. */
export const OWN_OPTIONS = {
  format: {
    name: 'output',
    kind: 'text',
    value: 'FORMAT',
    choices: FORMATS,
    inRoom: true,
    description: `Output format: ${FORMATS.join(', ')}. Default: table on a terminal, json in a pipe.`,
  },
  fields: {
    kind: 'text',
    value: 'A,B.C',
    inRoom: true,
    description: 'Only these fields of the records, in this order; a dot leads to a member.',
  },
  jq: {
    kind: 'text',
    value: 'EXPRESSION',
    inRoom: true,
    description: 'Evaluate a jq expression on the json result, or on each record with --output jsonl.',
  },
  noPager: { kind: 'flag', description: 'Do not show a long result in a pager ($PAGER, or less).' },
  config: { kind: 'text', value: 'FILE', description: 'Settings file, YAML or JSON.' },
  profile: { kind: 'text', value: 'NAME', description: 'Section of the settings file; there is one for each tenant.' },
  filesDirectory: {
    name: 'files-dir',
    kind: 'text',
    value: 'DIR',
    description: 'Directory for files that commands return.',
  },
  contextLimit: {
    kind: 'number',
    value: 'BYTES',
    largest: Number.MAX_SAFE_INTEGER,
    description: 'Maximum size of what one command writes to the context.',
  },
  logLevel: {
    kind: 'text',
    value: 'LEVEL',
    choices: LEVELS,
    description: `Log level on stderr: ${LEVELS.join(', ')}. Default: warn; trace logs requests and responses, without secrets.`,
  },
  logContent: {
    kind: 'flag',
    description: 'Log prompts and responses too; without it they are masked.',
  },
  queue: {
    kind: 'text',
    value: 'URL',
    description:
      'Queue on Redis whose workers do bulk scans, and runs of aisec serve. Default: AISEC_QUEUE_URL, or this process.',
  },
  wide: { kind: 'flag', inRoom: true, description: 'Show all columns, and ids in full.' },
  explain: {
    kind: 'flag',
    inRoom: true,
    description:
      'For scans: fetch their reports, and show what each detector found, and which topics are in force. For a gate: show every limit, and what each finding breaks.',
  },
  quiet: { kind: 'flag', description: 'Hide notes and logs; errors are still shown.' },
  dryRun: { kind: 'flag', inRoom: true, description: 'Show what would change, and change nothing.' },
  yes: { kind: 'flag', inRoom: true, description: 'Delete, or apply a plan, without asking.' },
  reveal: {
    kind: 'flag',
    inRoom: true,
    description:
      'Print a secret that is returned only once (a new API key) in the table, and do not save it in a file.',
  },
  exitCode: {
    kind: 'flag',
    description:
      'Exit with 1 if the verdict of a scan is block, or a diff finds a difference; with 8 if a scan is not plainly allowed.',
  },
  timeoutSeconds: {
    name: 'timeout',
    kind: 'number',
    value: 'SECONDS',
    isTimeLimit: true,
    description: 'Time limit for one command, waits included; at most 24 days.',
  },
  keepGoing: { kind: 'flag', description: 'In a pipe: continue after a line that fails.' },
  echo: { kind: 'flag', description: 'In a pipe: show each line, and each comment, before its result.' },
  simulate: { kind: 'flag', description: 'Use the simulated service inside this process, not a tenant.' },
  json: { kind: 'flag', of: ['commands'], description: 'All details of each command, as JSON.' },
  port: {
    kind: 'number',
    value: 'N',
    largest: 65_535,
    of: ['simulate', 'mcp', 'serve'],
    description: 'Port to listen on; 0 picks a free one.',
  },
  http: { kind: 'flag', of: ['mcp'], description: 'Serve over HTTP, not over stdin and stdout.' },
  host: {
    kind: 'text',
    value: 'ADDRESS',
    of: ['mcp', 'serve'],
    description: 'Address to listen on. Default: 127.0.0.1, which only this machine reaches.',
  },
  toolsets: {
    kind: 'text',
    value: 'NAMES',
    of: ['mcp', 'serve'],
    description: 'Only these commands, by their families: runtime, dlp, red-team, model-security, all.',
  },
  tools: {
    kind: 'text',
    value: 'NAMES',
    of: ['mcp'],
    description: 'The same by names of commands, separated by commas; * stands for any characters.',
  },
  readOnly: { kind: 'flag', of: ['mcp'], description: 'Only what changes nothing in the tenant.' },
  allowSecrets: {
    kind: 'flag',
    of: ['mcp'],
    description: 'Show agents the secrets that the service returns only once.',
  },
  tokens: {
    kind: 'text',
    value: 'FILE',
    of: ['serve'],
    description:
      'The file of tokens. Default: AISEC_TOKENS_FILE, or tokens.json beside the settings file if it is there.',
  },
  role: {
    kind: 'text',
    value: 'ROLE',
    choices: ['read', 'operate', 'admin'],
    of: ['serve'],
    description: 'What a new token may do: read, operate (all but deletes and one-time secrets), admin.',
  },
  expiresIn: {
    kind: 'text',
    value: 'DAYS',
    of: ['serve'],
    description: 'Time until a new token expires, such as 90d.',
  },
  revoke: { kind: 'flag', of: ['serve'], description: 'Revoke the token; it is refused within a second.' },
  audit: {
    kind: 'text',
    value: 'FILE',
    of: ['serve', 'worker'],
    description: 'Append lines for each call to this file.',
  },
  tlsCert: { kind: 'text', value: 'FILE', of: ['serve'], description: 'Certificate chain, PEM; with --tls-key.' },
  tlsKey: { kind: 'text', value: 'FILE', of: ['serve'], description: 'Private key of the certificate, PEM.' },
  allowHosts: {
    name: 'allow-host',
    kind: 'texts',
    value: 'NAME',
    of: ['serve'],
    description: 'A further name that clients may call the service by; may be repeated.',
  },
  rate: {
    kind: 'number',
    value: 'N',
    largest: 1_000_000,
    of: ['serve'],
    description: 'Requests that one token may send in a minute. Default: 600',
  },
  strict: {
    kind: 'flag',
    of: ['serve', 'worker'],
    description: 'Refuse a Redis that may forget runs: one without an append-only file, or that removes keys.',
  },
  slots: {
    kind: 'number',
    value: 'N',
    largest: 1000,
    of: ['worker'],
    description: 'Shards, and runs, that it works on at the same time. Default: 4',
  },
  requestsPerSecond: {
    kind: 'number',
    value: 'N',
    largest: 100_000,
    of: ['worker'],
    description: 'Requests that all workers of a tenant together may send in a second; 0 removes the limit.',
  },
  graceSeconds: {
    name: 'grace',
    kind: 'number',
    value: 'SECONDS',
    isTimeLimit: true,
    of: ['serve', 'worker'],
    description: 'Time for running work after the signal that ends it. Default: 30',
  },
  latencyMs: {
    name: 'latency',
    kind: 'number',
    value: 'MS',
    largest: Number.MAX_SAFE_INTEGER,
    of: ['simulate'],
    description: 'Delay before each response of the simulated service.',
  },
  faults: {
    name: 'fault',
    kind: 'texts',
    value: 'FAULT',
    of: ['simulate'],
    description: 'A fault to inject, such as 503x2@/v1/scan, hang or html:502; may be repeated.',
  },
  quirks: {
    name: 'quirk',
    kind: 'texts',
    value: 'QUIRK',
    of: ['simulate'],
    description: 'A quirk of the real service to reproduce; may be repeated.',
  },
  maxAsr: {
    kind: 'number',
    value: 'N',
    of: ['gate'],
    description: 'Maximum attack success rate that passes, in percent.',
  },
  failOn: {
    kind: 'text',
    value: 'SEVERITY',
    of: ['gate'],
    choices: ['critical', 'high', 'medium', 'low'],
    description: 'Fail on a successful attack of this severity or a higher one.',
  },
  baseline: {
    kind: 'text',
    value: 'JOB_ID',
    of: ['gate'],
    description: 'Fail only on successful attacks that are new since this red-team scan.',
  },
  policy: {
    kind: 'text',
    value: 'FILE',
    of: ['gate'],
    description: 'Limits, and findings that are accepted until a date; see docs/pipelines.md.',
  },
  scan: { kind: 'text', value: 'URI', of: ['gate'], description: 'Scan this model first.' },
  securityGroup: {
    kind: 'text',
    value: 'NAME',
    of: ['gate'],
    description: 'The security group whose rules a model is scanned against, by name or id.',
  },
  start: {
    kind: 'text',
    value: 'TARGET',
    of: ['gate'],
    description:
      'Start a red-team scan of this target first; further words are its arguments, such as job_type=STATIC.',
  },
  wait: { kind: 'flag', of: ['gate'], description: 'Wait for the scan that was started, and decide.' },
  csv: {
    kind: 'text',
    value: 'FILE',
    of: ['gate'],
    description: 'The file whose prompts were scanned: findings point to its lines.',
  },
  promptColumn: {
    kind: 'text',
    value: 'NAME',
    of: ['gate'],
    description: 'Header of its column with the prompts. Default: prompt',
  },
  sarif: { kind: 'text', value: 'FILE', of: ['gate'], description: 'Write the findings as SARIF 2.1.0.' },
  junit: { kind: 'text', value: 'FILE', of: ['gate'], description: 'Write the verdict as JUnit XML.' },
  codeQuality: {
    kind: 'text',
    value: 'FILE',
    of: ['gate'],
    description: 'Write the findings as a code-quality report, as GitLab reads it.',
  },
  summary: {
    kind: 'text',
    value: 'FILE',
    of: ['gate'],
    description: 'Write the verdict as a page of markdown, such as $GITHUB_STEP_SUMMARY.',
  },
  annotations: {
    kind: 'flag',
    of: ['gate'],
    description: 'Write workflow commands to stderr, which GitHub Actions shows beside the code.',
  },
  inputs: {
    name: 'input',
    kind: 'texts',
    value: 'NAME=VALUE',
    of: ['playbook'],
    description: 'An input of the playbook; may be repeated.',
  },
  check: {
    kind: 'flag',
    of: ['playbook'],
    description: 'Validate the playbook and run nothing; the exit code is 0 or 2.',
  },
  trace: {
    kind: 'flag',
    of: ['playbook'],
    description: 'Show inputs, comparisons and outputs of each task; secrets are hidden.',
  },
  prune: {
    kind: 'flag',
    of: ['apply', 'profiles', 'topics'],
    description: 'Delete what the file does not have, of topics and profiles that it lists.',
  },
  allowUnknown: {
    kind: 'flag',
    of: ['apply', 'profiles', 'topics'],
    description: 'Send detectors, actions and members of a policy that this version does not know.',
  },
  html: { kind: 'text', value: 'FILE', of: ['report', 'compare'], description: 'Write the page to this file.' },
  help: { kind: 'flag', description: 'Show help.' },
  version: { kind: 'flag', description: 'Show the version.' },
} as const satisfies Readonly<Record<string, Option>>;

const hyphenated = (name: string) => name.replace(/_/g, '-');

/** Options for all settings except secrets. */
const SETTING_OPTIONS: Readonly<Record<string, Option>> = Object.fromEntries(
  Object.entries(SETTINGS)
    .filter(([, { kind }]) => kind !== 'secret')
    .map(([name, { kind, description, display }]) => [
      hyphenated(name),
      kind === 'flag'
        ? { kind: 'flag', description: display }
        : { kind: 'text', value: kind === 'address' ? 'URL' : 'TEXT', description },
    ]),
);

/** Returns the name of an option, without dashes. */
export function optionName(property: string, { name }: Option): string {
  return name ?? property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const OWN_BY_NAME = Object.fromEntries(
  Object.entries<Option>(OWN_OPTIONS).map(([property, option]) => [optionName(property, option), option] as const),
);

/** All options by name. */
export const OPTIONS: Readonly<Record<string, Option>> = { ...OWN_BY_NAME, ...SETTING_OPTIONS };
/** Names of the options for settings. */
export const SETTING_OPTION_NAMES: readonly string[] = Object.keys(SETTING_OPTIONS);

/** Names of the options that may end a line of the war room. */
export const ROOM_OPTION_NAMES: readonly string[] = Object.keys(OPTIONS).filter(
  (name) => OPTIONS[name]?.inRoom === true,
);

/** The type of an option's value. */
type ValueOf<O extends Option> = O extends { kind: 'flag' }
  ? boolean
  : O extends { kind: 'texts' }
    ? readonly string[]
    : O extends { kind: 'number' }
      ? number | undefined
      : O extends { choices: readonly (infer Choice)[] }
        ? Choice | undefined
        : string | undefined;

export type OwnOptions = { readonly [Property in keyof typeof OWN_OPTIONS]: ValueOf<(typeof OWN_OPTIONS)[Property]> };
