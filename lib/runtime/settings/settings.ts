/** Resolves and validates settings from flags, environment and settings file. */
import { ConfigurationError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import {
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type Settings,
  settingTitle,
} from '../../core/parameters.ts';
import { isOwn } from '../../core/text/own.ts';
import { isLoopback, parseAddress, writeAddress } from './address.ts';

export type SettingSource = 'flag' | 'environment' | 'file' | 'default';

export interface SettingInputs {
  /** Environment variables, by their own names. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Values by setting name, from a settings file or, through `plainSettings`, from the platform's parameters. */
  file?: Readonly<Record<string, unknown>> | undefined;
  /** Values by setting name, from the command line. */
  flags?: Readonly<Record<string, unknown>> | undefined;
  /** Returns the host's name of a setting, if all of the host's settings come from one source. */
  nameOf?: ((name: SettingName) => string) | undefined;
}

export interface ResolvedSettings {
  settings: Settings;
  /** Where each setting comes from; a missing setting has no source. */
  sources: Readonly<Partial<Record<SettingName, SettingSource>>>;
}

/**
 * Resolves each setting: flag before environment before file before default. An empty text or a single dash counts as
 * missing, which is not an error: only a command knows which settings it needs.
 * @throws ConfigurationError with the problems of all settings, without their values
 */
export function resolveSettings(inputs: SettingInputs): ResolvedSettings {
  const settings = defaults();
  const sources: Partial<Record<SettingName, SettingSource>> = {};
  const problems: string[] = [];
  for (const name of SETTING_NAMES) {
    const value = find(name, inputs);
    if (value !== undefined) {
      const problem = assign(settings, name, value.text);
      if (problem !== undefined) {
        const where = inputs.nameOf?.(name) ?? `${settingTitle(name)}, ${SOURCE_TEXT[value.source]},`;
        problems.push(`${where} ${problem}.`);
      }
    }
    const source = value?.source ?? (SETTINGS[name].default === undefined ? undefined : 'default');
    if (source !== undefined) sources[name] = source;
  }
  if (problems.length > 0) {
    throw new ConfigurationError(problems.join(' '), { hint: 'Correct the value where it is set.' });
  }
  return { settings, sources };
}

const SOURCE_TEXT = {
  flag: 'given as an option',
  environment: 'from the environment',
  file: 'from the stored settings',
};

function defaults(): Settings {
  const { scanner_base_url, dlp_base_url, token_url, insecure, proxy } = SETTINGS;
  return {
    scanner_base_url: String(scanner_base_url.default),
    dlp_base_url: String(dlp_base_url.default),
    token_url: String(token_url.default),
    insecure: insecure.default === true,
    proxy: proxy.default === true,
  };
}

function find(name: SettingName, { flags, environment, file }: SettingInputs) {
  const values = [
    { source: 'flag', text: textOf(flags?.[name]) },
    { source: 'environment', text: textOf(environment[SETTINGS[name].environment]) },
    { source: 'file', text: textOf(file?.[name]) },
  ] as const;
  return values.filter(({ text }) => text !== '')[0];
}

/** Placeholder for forms that require a value; never a valid address, id or secret. */
const NONE = '-';

/** Trims values, because copying adds white space that no setting needs. */
function textOf(value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value).trim();
  return text === NONE ? '' : text;
}

/** Sets a value. @returns its problem, which completes a sentence */
function assign(settings: Settings, name: SettingName, text: string): string | undefined {
  if (name === 'insecure' || name === 'proxy') {
    const word = text.toLowerCase();
    settings[name] = word === 'true' || word === 'yes';
    return ['true', 'yes', 'false', 'no'].includes(word) ? undefined : 'must be true, false, yes or no';
  }
  const checked = CHECKS[SETTINGS[name].kind](text);
  if ('problem' in checked) return checked.problem;
  settings[name] = checked.text;
  return undefined;
}

/** Checks one value. @returns its problem, which completes a sentence, or undefined */
export function settingProblem(name: SettingName, text: string): string | undefined {
  return assign(defaults(), name, text);
}

type Checked = { text: string } | { problem: string };

const CHECKS: Readonly<Record<Setting['kind'], (text: string) => Checked>> = {
  address: checkAddress,
  digits: (text) => (/^\d+$/.test(text) ? { text } : { problem: 'must be digits only' }),
  text: checkText,
  secret: checkText,
  flag: checkText,
};

function checkAddress(text: string): Checked {
  const address = parseAddress(text);
  if ('problem' in address) return address;
  if (address.scheme === 'http' && !isLoopback(address.host)) {
    return { problem: 'must start with https://; plain http:// is for a loopback address only' };
  }
  return { text: writeAddress(address) };
}

function checkText(text: string): Checked {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check is for control characters
  return /[\0-\x1f\x7f]/.test(text) ? { problem: 'contains a line break or another control character' } : { text };
}

/**
 * Normalises the settings of a file or of the platform's parameters: `credentials` is split into its two settings, and
 * a secret may be an object with a `password`. Other members stay unchanged.
 */
export function plainSettings(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { credentials, runtime_api_key: key, ...plain } = input;
  const result: Record<string, unknown> = { ...plain };
  const identifier = member(credentials, 'identifier');
  const password = member(credentials, 'password');
  if (identifier !== undefined) result['client_id'] = identifier;
  if (password !== undefined) result['client_secret'] = password;
  if (key !== undefined) result['runtime_api_key'] = isObject(key) ? member(key, 'password') : key;
  return result;
}

function member(value: unknown, name: string): unknown {
  return isObject(value) && isOwn(value, name) ? value[name] : undefined;
}
