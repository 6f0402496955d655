/** What the user gave in flags, environment and settings file, as checked settings. */
import { ConfigurationError } from '../errors.ts';
import { isObject } from '../json.ts';
import { isOwn } from '../text/own.ts';
import { isLoopback, parseAddress, writeAddress } from './address.ts';
import { SETTING_NAMES, SETTINGS, type Setting, type SettingName, type Settings, settingTitle } from './parameters.ts';

export type SettingSource = 'flag' | 'environment' | 'file' | 'default';

export interface SettingInputs {
  /** Environment variables, by their own names. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Values by setting name: a settings file, or the platform's parameters through `plainSettings`. */
  file?: Readonly<Record<string, unknown>> | undefined;
  /** Values by setting name, from the command line. */
  flags?: Readonly<Record<string, unknown>> | undefined;
}

export interface ResolvedSettings {
  settings: Settings;
  /** Where each setting comes from; a setting that nobody gave has no source. */
  sources: Readonly<Partial<Record<SettingName, SettingSource>>>;
}

/**
 * Flag before environment before file before default; empty text and a lone dash count as not given. A missing setting is no error here:
 * only a command knows what it needs.
 * @throws ConfigurationError with every problem of every setting, and none of their values
 */
export function resolveSettings(inputs: SettingInputs): ResolvedSettings {
  const settings = defaults();
  const sources: Partial<Record<SettingName, SettingSource>> = {};
  const problems: string[] = [];
  for (const name of SETTING_NAMES) {
    const found = find(name, inputs);
    if (found !== undefined) {
      const problem = assign(settings, name, found.text);
      if (problem !== undefined) problems.push(`${settingTitle(name)}, ${GIVEN[found.source]}, ${problem}.`);
    }
    const source = found?.source ?? (SETTINGS[name].default === undefined ? undefined : 'default');
    if (source !== undefined) sources[name] = source;
  }
  if (problems.length > 0) {
    throw new ConfigurationError(problems.join(' '), { hint: 'Correct the value where it was given.' });
  }
  return { settings, sources };
}

const GIVEN = { flag: 'given as an option', environment: 'from the environment', file: 'from the stored settings' };

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

function find(name: SettingName, inputs: SettingInputs): { text: string; source: keyof typeof GIVEN } | undefined {
  const flag = textOf(inputs.flags?.[name]);
  if (flag !== '') return { text: flag, source: 'flag' };
  const environment = textOf(inputs.environment[SETTINGS[name].environment]);
  if (environment !== '') return { text: environment, source: 'environment' };
  const file = textOf(inputs.file?.[name]);
  return file === '' ? undefined : { text: file, source: 'file' };
}

/** Fills in a form that insists on a value where there is none; it is no address, id or secret. */
const NONE = '-';

/** White space around a value comes from copying it; no setting begins or ends with any. */
function textOf(value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value).trim();
  return text === NONE ? '' : text;
}

/** Puts a value into the settings. @returns what is wrong with it, as the rest of a sentence */
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
    return { problem: 'must begin with https://; plain http:// is for a loopback address only' };
  }
  return { text: writeAddress(address) };
}

function checkText(text: string): Checked {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\0-\x1f\x7f]/.test(text) ? { problem: 'holds a line break or another control character' } : { text };
}

/**
 * The settings of a file or of the platform's parameters, by setting name: `credentials` is taken apart, and a secret may be an
 * object with a `password`. Other members stay as they are.
 */
export function plainSettings(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { credentials, runtime_api_key: key, ...plain } = given;
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
