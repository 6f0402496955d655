/** The options of commands, and the table of all options of the program. */

import type { OptionKind } from '../../../client/argv.ts';
import { SETTINGS } from '../../../core/parameters.ts';
import type { LogLevel } from '../../../node/log/log.ts';

export const FORMATS = ['table', 'json', 'jsonl', 'context', 'entry', 'markdown', 'csv', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

/** Reports whether programs read the format; errors are JSON too if the user requested the format by name. */
export function isForPrograms(format: Format): boolean {
  return format !== 'table' && format !== 'markdown';
}

// Repeated here so that help need not load the log module.
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'silent'] as const satisfies readonly LogLevel[];

const inRoom = true;

/** Options that commands and subcommands accept. */
export const COMMON = {
  format: text(
    'FORMAT',
    `Output format: ${FORMATS.join(', ')}. The default is table on a terminal, and json in a pipe.`,
    { name: 'output', choices: FORMATS, inRoom },
  ),
  fields: text('A,B.C', 'Print only these fields of the records, in this order; a dot leads to a member.', { inRoom }),
  jq: text('EXPRESSION', 'Evaluate a jq expression on the json result, or on each record with --output jsonl.', {
    inRoom,
  }),
  filter: texts(
    'EXPR',
    "Print only the records of a list that match, such as 'status=done,asr>20'; = != ~ (contains) !~ < <= > >=. May be repeated.",
    { inRoom },
  ),
  sort: text('FIELD', 'Sort a list by a field or column; FIELD:desc reverses the order. A comma separates fields.', {
    inRoom,
  }),
  noPager: flag('Do not show a long result in a pager ($PAGER, or less).', { inRoom }),
  config: text('FILE', 'Settings file, YAML or JSON.'),
  profile: text(
    'NAME',
    'Section of the settings file; each tenant has one. For aisec guard and topics eval, a security profile.',
  ),
  filesDirectory: text('DIR', 'Directory for files that commands return.', { name: 'files-dir' }),
  contextLimit: number('BYTES', 'Maximum size of what one command writes to the context.', {
    largest: Number.MAX_SAFE_INTEGER,
  }),
  logLevel: text(
    'LEVEL',
    `Log level on stderr: ${LEVELS.join(', ')}. The default is warn; trace logs requests and responses, without secrets.`,
    { choices: LEVELS },
  ),
  logContent: flag('Log prompts and responses too; by default they are masked.'),
  queue: text(
    'URL',
    'Queue on Redis whose workers do bulk scans, and runs of aisec serve. The default is AISEC_QUEUE_URL, or this process.',
  ),
  exact: flag('Take ids as they are typed: names and beginnings of ids are not looked up.', { inRoom }),
  wide: flag('Show all columns, and ids in full.', { inRoom }),
  explain: flag(
    'For scans: fetch their reports, and show what each detector found, and which topics are active. For a gate: show every limit, and what each finding breaks.',
    { inRoom },
  ),
  quiet: flag('Hide notes and logs; errors are still shown.'),
  dryRun: flag('Show what would change, and change nothing.', { inRoom }),
  yes: flag('Delete, or apply a plan, without asking.', { inRoom }),
  reveal: flag(
    'Print a secret that is returned only once (a new API key) in the table, and do not save it in a file.',
    { inRoom },
  ),
  exitCode: flag(
    'Exit with 1 if the verdict of a scan is block, or a diff finds a difference; with 8 if a scan is not plainly allowed.',
  ),
  timeoutSeconds: number('SECONDS', 'Time limit for one command, waits included; at most 24 days.', {
    name: 'timeout',
    isTimeLimit: true,
  }),
  keepGoing: flag('In a pipe: continue after a line that fails.'),
  echo: flag('In a pipe: show each line, and each comment, before its result.'),
  simulate: flag('Use the simulated service inside this process, not a tenant.'),
  help: flag('Show help.'),
  version: flag('Show the version.'),
} as const satisfies Flags;

/** Options of the simulated service, for use with `--simulate` and `aisec simulate`. */
export const SIMULATION = {
  latencyMs: number('MS', 'Delay before each response of the simulated service.', {
    name: 'latency',
    largest: Number.MAX_SAFE_INTEGER,
  }),
  faults: texts('FAULT', 'A fault to inject, such as 503x2@/v1/scan, hang or html:502; may be repeated.', {
    name: 'fault',
  }),
  quirks: texts('QUIRK', 'A quirk of the real service to reproduce; may be repeated.', { name: 'quirk' }),
} as const satisfies Flags;

/** An option of the command line. */
export interface KnownOption extends Option {
  /** Subcommands that accept the option; absent if commands accept it. */
  readonly of?: readonly string[];
  /** The member of `Options` that holds its value; absent if the option is a setting. */
  readonly property?: string;
}

export type OptionTable = Readonly<Record<string, KnownOption>>;

function named(flags: Flags): [string, KnownOption][] {
  return Object.entries(flags).map(([property, option]) => [optionName(property, option), { ...option, property }]);
}

/** Options for all settings except secrets. */
const SETTING_OPTIONS: OptionTable = Object.fromEntries(
  Object.entries(SETTINGS)
    .filter(([, { kind }]) => kind !== 'secret')
    .map(([name, { kind, description, display }]) => [
      name.replace(/_/g, '-'),
      kind === 'flag' ? flag(display) : text(kind === 'address' ? 'URL' : 'TEXT', description),
    ]),
);

/** Environment variables that hold secrets. */
export const SECRET_VARIABLES: readonly string[] = Object.values(SETTINGS)
  .filter(({ kind }) => kind === 'secret')
  .map(({ environment }) => environment);

/** The options of commands, by name. */
export const COMMAND_OPTIONS: OptionTable = { ...Object.fromEntries(named(COMMON)), ...SETTING_OPTIONS };

/** Returns all options by name: options of commands, and of each subcommand. */
export function optionTable(subcommands: Readonly<Record<string, { readonly flags?: Flags }>>): OptionTable {
  const table: Record<string, KnownOption> = { ...COMMAND_OPTIONS };
  for (const [subcommand, { flags = {} }] of Object.entries(subcommands)) {
    for (const [name, option] of named(flags)) {
      table[name] = { ...option, of: [...(table[name]?.of ?? []), subcommand] };
    }
  }
  return table;
}

/** Names of the options that are allowed at the end of a line in the war room. */
export const ROOM_OPTION_NAMES: readonly string[] = Object.keys(COMMAND_OPTIONS).filter(
  (name) => COMMAND_OPTIONS[name]?.inRoom === true,
);

export interface Option {
  /** Name without dashes. Default: the property's name with hyphens. */
  readonly name?: string;
  readonly kind: OptionKind;
  /** Placeholder for its value in help. */
  readonly value?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** Maximum integer; if absent, fractions are valid too. */
  readonly largest?: number;
  /** Whether the number is a share in percent. */
  readonly isPercent?: boolean;
  /** Whether the number is a time limit in seconds, for a timer. */
  readonly isTimeLimit?: boolean;
  /** Also allowed at the end of a line in the war room. */
  readonly inRoom?: boolean;
}

/** Options by the property that the program reads. */
export type Flags = Readonly<Record<string, Option>>;

type More = Omit<Partial<Option>, 'kind' | 'value' | 'description'>;

/** Declares an option without a value. */
export function flag(description: string, more: More = {}) {
  return { kind: 'flag', description, ...more } as const;
}

/** Declares an option with a string value. @param value its placeholder in help */
export function text<const M extends More = object>(value: string, description: string, more?: M) {
  return { kind: 'text', value, description, ...(more as M) } as const;
}

/** Declares an option that may be repeated. */
export function texts(value: string, description: string, more: More = {}) {
  return { kind: 'texts', value, description, ...more } as const;
}

/** Declares an option with a numeric value. */
export function number(value: string, description: string, more: More = {}) {
  return { kind: 'number', value, description, ...more } as const;
}

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

/** The values of a table of options. */
export type Values<F extends object> = {
  readonly [Property in keyof F]: F[Property] extends Option ? ValueOf<F[Property]> : never;
};

/** Returns the name of an option, without dashes. */
export function optionName(property: string, { name }: Option): string {
  return name ?? property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
