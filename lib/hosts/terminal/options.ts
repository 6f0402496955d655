/** Declares the options of the command line, each once: parsing, help and the type of what was given follow from this table. */
import type { OptionKind } from '../../arguments/argv.ts';
import type { LogLevel } from '../../log/log.ts';
import { SETTINGS } from '../../settings/parameters.ts';

export const FORMATS = ['table', 'json', 'jsonl', 'context', 'entry', 'markdown'] as const;
export type Format = (typeof FORMATS)[number];

/** Formats that programs read: errors are JSON there too. */
export function isForPrograms(format: Format): boolean {
  return format !== 'table' && format !== 'markdown';
}

export interface Option {
  /** As it is typed, without its dashes; absent: its property's name with hyphens. */
  readonly name?: string;
  readonly kind: OptionKind;
  /** What stands for its value in the help text. */
  readonly value?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** The largest whole number that it takes; absent: fractions are numbers too. */
  readonly largest?: number;
  /** Subcommands that it belongs to; absent: it is for commands. */
  readonly of?: readonly string[];
}

// Written out, because help must not load the log.
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'silent'] as const satisfies readonly LogLevel[];

/** By the property under which the program reads them. */
export const OWN_OPTIONS = {
  format: {
    name: 'output',
    kind: 'text',
    value: 'FORMAT',
    choices: FORMATS,
    description: `How results are written: ${FORMATS.join(', ')}. Default: table on a terminal, json in a pipe.`,
  },
  config: { kind: 'text', value: 'FILE', description: 'The settings file, YAML or JSON.' },
  profile: { kind: 'text', value: 'NAME', description: 'A section of the settings file, one for each tenant.' },
  filesDirectory: {
    name: 'files-dir',
    kind: 'text',
    value: 'DIR',
    description: 'Where files that a command returns are written.',
  },
  contextLimit: {
    kind: 'number',
    value: 'BYTES',
    largest: Number.MAX_SAFE_INTEGER,
    description: 'The most that one command leaves in the context.',
  },
  logLevel: {
    kind: 'text',
    value: 'LEVEL',
    choices: LEVELS,
    description: `What is logged on stderr: ${LEVELS.join(', ')}. Default: warn; trace has what travels, without secrets.`,
  },
  logContent: {
    kind: 'flag',
    description: 'Log what people wrote and models answered, too; without it that is masked.',
  },
  quiet: { kind: 'flag', description: 'No notes and no logs; errors are still shown.' },
  dryRun: { kind: 'flag', description: 'Show what would be changed, and change nothing.' },
  timeoutSeconds: {
    name: 'timeout',
    kind: 'number',
    value: 'SECONDS',
    description: 'Time for one command, waiting included.',
  },
  keepGoing: { kind: 'flag', description: 'In a pipe: run the lines after one that failed.' },
  echo: { kind: 'flag', description: 'In a pipe: show each line, and each comment, before what comes of it.' },
  simulate: { kind: 'flag', description: 'Ask a simulated service inside this process, not a tenant.' },
  json: { kind: 'flag', of: ['commands'], description: 'Everything that is known of each command, as JSON.' },
  port: {
    kind: 'number',
    value: 'N',
    largest: 65_535,
    of: ['simulate'],
    description: 'Where to listen; 0 takes a free port.',
  },
  latencyMs: {
    name: 'latency',
    kind: 'number',
    value: 'MS',
    largest: Number.MAX_SAFE_INTEGER,
    of: ['simulate'],
    description: 'Time before each answer of the simulated service.',
  },
  faults: {
    name: 'fault',
    kind: 'texts',
    value: 'FAULT',
    of: ['simulate'],
    description: 'A fault of the simulated service, such as 503x2@/v1/scan, hang or html:502; may be repeated.',
  },
  quirks: {
    name: 'quirk',
    kind: 'texts',
    value: 'QUIRK',
    of: ['simulate'],
    description: 'An oddity of the real service to reproduce; may be repeated.',
  },
  maxAsr: {
    kind: 'number',
    value: 'N',
    of: ['gate'],
    description: 'The highest attack success rate that passes, in percent.',
  },
  failOn: {
    kind: 'text',
    value: 'SEVERITY',
    of: ['gate'],
    choices: ['critical', 'high', 'medium', 'low'],
    description: 'Fail on a successful attack of this severity or a higher one.',
  },
  sarif: { kind: 'text', value: 'FILE', of: ['gate'], description: 'Write the findings as SARIF 2.1.0.' },
  junit: { kind: 'text', value: 'FILE', of: ['gate'], description: 'Write the verdict as JUnit XML.' },
  inputs: {
    name: 'input',
    kind: 'texts',
    value: 'NAME=VALUE',
    of: ['playbook'],
    description: 'An input of the playbook; may be repeated.',
  },
  html: { kind: 'text', value: 'FILE', of: ['report'], description: 'Write the page to this file.' },
  help: { kind: 'flag', description: 'Show help.' },
  version: { kind: 'flag', description: 'Show the version.' },
} as const satisfies Readonly<Record<string, Option>>;

const hyphenated = (name: string) => name.replace(/_/g, '-');

/** Every setting that is no secret is an option as well. */
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

/** An option as it is typed, without its dashes. */
export function optionName(property: string, { name }: Option): string {
  return name ?? property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const OWN_BY_NAME = Object.fromEntries(
  Object.entries<Option>(OWN_OPTIONS).map(([property, option]) => [optionName(property, option), option] as const),
);

/** All options, by their names as they are typed. */
export const OPTIONS: Readonly<Record<string, Option>> = { ...OWN_BY_NAME, ...SETTING_OPTIONS };
/** The options that stand for settings. */
export const SETTING_OPTION_NAMES: readonly string[] = Object.keys(SETTING_OPTIONS);

/** What the program reads of an option. */
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
