/** The command line as it was typed: what was given, checked, and what must not be given there. */
import { type OptionValue, parseOptions } from '../../arguments/argv.ts';
import { didYouMean } from '../../arguments/suggest.ts';
import { UsageError } from '../../errors.ts';
import type { LogLevel } from '../../log/log.ts';
import { SETTINGS, type SettingName } from '../../settings/parameters.ts';
import { FORMATS, type Format, LEVELS, OPTIONS, SETTING_OPTION_NAMES } from './options.ts';

/** What was given on the command line, checked. */
export interface Options {
  readonly format: Format | undefined;
  readonly config: string | undefined;
  readonly profile: string | undefined;
  readonly filesDirectory: string | undefined;
  readonly contextLimit: number | undefined;
  readonly logLevel: LogLevel | undefined;
  readonly logContent: boolean;
  readonly quiet: boolean;
  readonly dryRun: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly keepGoing: boolean;
  readonly echo: boolean;
  readonly simulate: boolean;
  readonly json: boolean;
  readonly port: number | undefined;
  readonly latencyMs: number | undefined;
  readonly faults: readonly string[];
  readonly quirks: readonly string[];
  readonly maxAsr: number | undefined;
  readonly failOn: string | undefined;
  readonly sarif: string | undefined;
  readonly junit: string | undefined;
  readonly html: string | undefined;
  readonly inputs: readonly string[];
  readonly help: boolean;
  readonly version: boolean;
  /** Settings by their own names, as typed. */
  readonly settings: Readonly<Partial<Record<SettingName, string>>>;
  /** Names of all options that were given. */
  readonly given: readonly string[];
}

/**
 * Reads the command line.
 * @throws UsageError for an option that is not there, a value that it does not take, or a secret
 */
export function readOptions(argv: readonly string[]): { options: Options; positionals: string[] } {
  refuseSecrets(argv);
  const spec = Object.fromEntries(Object.entries(OPTIONS).map(([name, { kind }]) => [name, kind]));
  const { values, positionals } = parseOptions(argv, spec);
  for (const [name, { choices }] of Object.entries(OPTIONS)) checkChoice(name, values[name], choices);
  return { options: optionsOf(values), positionals };
}

/** The format that was asked for, even where the rest of the command line is wrong. */
export function formatAskedFor(argv: readonly string[]): Format | undefined {
  const value = typedFor('--output', argv);
  return FORMATS.find((format) => format === value);
}

/** Does the log level ask for the details of a fault? Known even where the rest of the command line is wrong. */
export function isDebugAskedFor(argv: readonly string[]): boolean {
  return ['debug', 'trace'].includes(typedFor('--log-level', argv) ?? '');
}

function typedFor(option: string, argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => word === option || word.startsWith(`${option}=`));
  return at < 0 ? undefined : (argv[at]?.split('=')[1] ?? argv[at + 1]);
}

function optionsOf(values: Readonly<Record<string, OptionValue>>): Options {
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  const texts = (name: string) => (Array.isArray(values[name]) ? values[name] : []);
  const flag = (name: string) => values[name] === true;
  const settings = SETTING_OPTION_NAMES.filter((name) => values[name] !== undefined);
  return {
    format: FORMATS.find((format) => format === values['output']),
    config: text('config'),
    profile: text('profile'),
    filesDirectory: text('files-dir'),
    contextLimit: whole('context-limit', text('context-limit')),
    logLevel: LEVELS.find((level) => level === values['log-level']),
    logContent: flag('log-content'),
    quiet: flag('quiet'),
    dryRun: flag('dry-run'),
    timeoutSeconds: text('timeout') === undefined ? undefined : Number(text('timeout')),
    keepGoing: flag('keep-going'),
    echo: flag('echo'),
    simulate: flag('simulate'),
    json: flag('json'),
    port: whole('port', text('port'), 65535),
    latencyMs: whole('latency', text('latency')),
    faults: texts('fault'),
    quirks: texts('quirk'),
    maxAsr: text('max-asr') === undefined ? undefined : Number(text('max-asr')),
    failOn: text('fail-on'),
    sarif: text('sarif'),
    junit: text('junit'),
    html: text('html'),
    inputs: texts('input'),
    help: flag('help'),
    version: flag('version'),
    settings: Object.fromEntries(settings.map((name) => [name.replace(/-/g, '_'), String(values[name])])),
    given: Object.keys(values).filter((name) => values[name] !== undefined && values[name] !== false),
  };
}

function whole(name: string, value: string | undefined, most = Number.MAX_SAFE_INTEGER): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isSafeInteger(number) && number <= most) return number;
  throw new UsageError(`Option --${name} needs a whole number${most < 1e6 ? ` up to ${most}` : ''}.`);
}

function checkChoice(name: string, value: OptionValue, choices: readonly string[] | undefined): void {
  if (choices === undefined || typeof value !== 'string' || choices.includes(value)) return;
  const hint = [didYouMean(value, choices), `Choices: ${choices.join(', ')}.`].filter((part) => part !== undefined);
  throw new UsageError(`Option --${name} does not take "${value.slice(0, 60)}".`, { hint: hint.join(' ') });
}

// The command line of a process can be read by everyone on the machine, and ends up in the shell's history.
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
