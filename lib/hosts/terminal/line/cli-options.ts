/** Parses and checks the command line, and refuses secrets in it. */
import { type OptionValue, parseOptions } from '../../../client/argv.ts';
import { UsageError } from '../../../core/errors.ts';
import { SETTINGS, type SettingName } from '../../../core/parameters.ts';
import { MAX_SECONDS } from '../../../core/stop.ts';
import { didYouMean } from '../../../runtime/arguments/suggest.ts';
import {
  type COMMON,
  FORMATS,
  type Format,
  type KnownOption,
  type OptionTable,
  type SIMULATION,
  type Values,
} from './options.ts';

/** Checked options of one run: options of commands and of the simulated service, and settings. */
export interface Options extends Values<typeof COMMON>, Values<typeof SIMULATION> {
  /** Settings by name, as typed. */
  readonly settings: Readonly<Partial<Record<SettingName, string>>>;
  /** Names of all options on the command line. */
  readonly optionNames: readonly string[];
}

/**
 * Parses the command line. The result holds the values of all options in the table; a subcommand reads its own flags
 * from it.
 * @throws UsageError for an unknown option, an invalid value, or a secret
 */
export function readOptions(argv: readonly string[], table: OptionTable): { options: Options; positionals: string[] } {
  refuseSecrets(argv);
  const spec = Object.fromEntries(Object.entries(table).map(([name, { kind }]) => [name, kind]));
  const { values, positionals } = parseOptions(withLongNames(argv), spec);
  for (const [name, { choices }] of Object.entries(table)) checkChoice(name, values[name], choices);
  return { options: optionsOf(values, table), positionals };
}

/** Replaces `-h` with its long name. */
function withLongNames(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => (word === '-h' && (end < 0 || index < end) ? '--help' : word));
}

/** Finds the requested format, even if the rest of the command line is invalid. */
export function formatAskedFor(argv: readonly string[]): Format | undefined {
  const value = typedFor('--output', argv);
  return FORMATS.find((format) => format === value);
}

/** Reports whether the log level asks for debug details, even if the rest of the command line is invalid. */
export function isDebugAskedFor(argv: readonly string[]): boolean {
  return ['debug', 'trace'].includes(typedFor('--log-level', argv) ?? '');
}

function typedFor(option: string, argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => word === option || word.startsWith(`${option}=`));
  return at < 0 ? undefined : (argv[at]?.split('=')[1] ?? argv[at + 1]);
}

function optionsOf(values: Readonly<Record<string, OptionValue>>, table: OptionTable): Options {
  const own: Record<string, unknown> = {};
  const settings: Record<string, string> = {};
  for (const [name, option] of Object.entries(table)) {
    const value = values[name];
    if (option.property !== undefined) own[option.property] = checkedValue(name, option, value);
    else if (value !== undefined) settings[name.replace(/-/g, '_')] = String(value);
  }
  const isTyped = (name: string) => values[name] !== undefined && values[name] !== false;
  // Each value has the type of its option's kind.
  return { ...own, settings, optionNames: Object.keys(values).filter(isTyped) } as unknown as Options;
}

/** Converts a value to the type that `ValueOf` declares. @param value already checked against the choices */
function checkedValue(
  name: string,
  { kind, largest, isTimeLimit, isPercent }: KnownOption,
  value: OptionValue,
): OptionValue | number {
  if (kind === 'flag') return value === true;
  if (kind === 'texts') return Array.isArray(value) ? value : [];
  if (typeof value !== 'string' || kind === 'text') return value;
  if (isTimeLimit === true) checkSeconds(name, Number(value));
  if (isPercent === true && Number(value) > 100) throw new UsageError(`Option --${name} takes at most 100 percent.`);
  return largest === undefined ? Number(value) : whole(name, value, largest);
}

function checkSeconds(name: string, seconds: number): void {
  if (seconds <= MAX_SECONDS) return;
  throw new UsageError(`Option --${name} takes at most ${MAX_SECONDS} seconds (24 days).`);
}

type TenantOptions = Pick<Options, 'config' | 'profile' | 'simulate' | 'settings'>;

/** Writes the options that choose the tenant as arguments, such as `--profile=staging`. */
export function tenantOptions({ config, profile, simulate, settings }: TenantOptions): string[] {
  const given: Readonly<Record<string, string | undefined>> = { config, profile, ...settings };
  const typed = Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const option = `--${name.replace(/_/g, '-')}`;
    const isFlag = Object.entries(SETTINGS).some(([setting, { kind }]) => setting === name && kind === 'flag');
    if (isFlag) return value === 'true' ? [option] : [];
    return [`${option}=${value}`];
  });
  return simulate ? [...typed, '--simulate'] : typed;
}

function whole(name: string, value: string, largest: number): number {
  const number = Number(value);
  if (number > largest) throw new UsageError(`Option --${name} takes at most ${largest}.`);
  if (Number.isSafeInteger(number)) return number;
  throw new UsageError(`Option --${name} needs a whole number.`);
}

function checkChoice(name: string, value: OptionValue, choices: readonly string[] | undefined): void {
  if (choices === undefined || typeof value !== 'string' || choices.includes(value)) return;
  const hint = [didYouMean(value, choices), `Choices: ${choices.join(', ')}.`].filter((part) => part !== undefined);
  throw new UsageError(`Option --${name} does not take "${value.slice(0, 60)}".`, { hint: hint.join(' ') });
}

// Every user of the machine can read a process's arguments, and the shell keeps them in its history.
function refuseSecrets(argv: readonly string[]): void {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');
  const secrets = Object.entries(SETTINGS).filter(([, { kind }]) => kind === 'secret');
  const end = argv.indexOf('--');
  for (const word of end < 0 ? argv : argv.slice(0, end)) {
    const typed = /^--?([\w-]+)/.exec(word)?.[1];
    if (typed === undefined) continue;
    const found = secrets.find(([name, { environment }]) => [plain(name), plain(environment)].includes(plain(typed)));
    if (found === undefined) continue;
    const [name, { display, environment }] = found;
    throw new UsageError(`${display} is a secret and cannot be given as an option.`, {
      hint: `Set ${environment} in the environment, or ${name} in the settings file (--config FILE).`,
    });
  }
}
