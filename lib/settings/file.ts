/** The settings file of the terminal: YAML or JSON, with a section for each tenant. yaml is loaded when there is a file to read. */
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { didYouMean } from '../arguments/suggest.ts';
import { ConfigurationError } from '../errors.ts';
import { isSettingName, SETTING_NAMES } from './parameters.ts';
import { plainSettings } from './settings.ts';

export interface SettingsFileRequest {
  /** The file that was asked for; without one, that of the default place is used if it is there. */
  path?: string | undefined;
  /** The section that was asked for. */
  profile?: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
}

export interface SettingsFile {
  path: string;
  /** Values by setting name: those of the section over those of the top level. */
  values: Readonly<Record<string, unknown>>;
  /** What the user should know; each is one sentence. */
  warnings: readonly string[];
}

const MAX_BYTES = 1_000_000;

/**
 * Reads the settings file.
 * @returns undefined when no file was asked for and there is none in the default place
 * @throws ConfigurationError when what was asked for is not there, or cannot be understood; it repeats no value
 */
export async function readSettingsFile(request: SettingsFileRequest): Promise<SettingsFile | undefined> {
  const path = request.path ?? defaultPlace(request.environment);
  const text = path === undefined ? undefined : await readText(path, request.path !== undefined);
  if (path === undefined || text === undefined) {
    if (request.profile === undefined) return undefined;
    throw new ConfigurationError(`There is no settings file to take the profile "${request.profile}" from.`, {
      hint: `Name one with --config FILE${path === undefined ? '' : `, or write ${path}`}.`,
    });
  }
  const document = await parse(path, text);
  const values = select(path, document, request.profile);
  const others = await openTo(path);
  const warning = `The settings file ${path} can be ${others} by other users of this machine; close it with chmod 600.`;
  return { path, values, warnings: others === undefined ? [] : [warning] };
}

function defaultPlace(environment: SettingsFileRequest['environment']): string | undefined {
  const { XDG_CONFIG_HOME: configured = '', HOME: home = '' } = environment;
  if (isAbsolute(configured)) return join(configured, 'aisec', 'settings.yml');
  return home === '' ? undefined : join(home, '.config', 'aisec', 'settings.yml');
}

/** @returns undefined when the file is not there and need not be */
async function readText(path: string, needed: boolean): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw new ConfigurationError(`The settings file ${path} is larger than 1 MB.`);
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) throw thrown;
    const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : 'unknown';
    if (!needed && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    const what = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new ConfigurationError(`The settings file ${path} ${what}.`, { hint: 'Check the path and its permissions.' });
  }
}

async function parse(path: string, text: string): Promise<Readonly<Record<string, unknown>>> {
  const { isScalar, parseDocument, visit } = await import('yaml');
  // Text only: a number would lose the zeros that an id begins with, and the digits beyond 15.
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    schema: 'failsafe',
    prettyErrors: true,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const [place] = error.linePos ?? [];
    const where = place === undefined ? '' : `, line ${place.line}, column ${place.col}`;
    throw new ConfigurationError(`The settings file ${path} is not valid YAML or JSON${where}: ${fault(error.code)}.`);
  }
  visit(document, {
    Scalar: (_, node) => {
      if (isScalar(node) && node.type === 'PLAIN' && ['', '~', 'null'].includes(String(node.value))) node.value = null;
    },
  });
  const value = plainValue(() => document.toJS({ maxAliasCount: 10 }));
  if (isSection(value)) return value;
  throw new ConfigurationError(`The settings file ${path} must hold names and values, such as "url: https://...".`);
}

/** @returns undefined where references point nowhere, or multiply */
function plainValue(convert: () => unknown): unknown {
  try {
    return convert() ?? {};
  } catch {
    return undefined;
  }
}

const FAULTS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'a name is given twice',
  TAB_AS_INDENT: 'a tab is used for indentation',
  BAD_INDENT: 'the indentation does not fit',
  MISSING_CHAR: 'a quote, bracket or comma is missing',
  MULTIPLE_DOCS: 'there is more than one document',
};

// The library's own sentences quote the line, and the line may hold a secret.
function fault(code: string): string {
  return FAULTS[code] ?? 'the text is not well-formed';
}

function select(path: string, document: Readonly<Record<string, unknown>>, profile: string | undefined) {
  const { profiles = {}, ...top } = document;
  const sections = profiles ?? {};
  if (!isSection(sections)) throw new ConfigurationError(`In ${path}, "profiles" must hold one section for each name.`);
  const base = checkSection(path, 'the top level', top);
  const found = Object.entries(sections).map(([name, section]) => ({
    name,
    values: checkSection(path, `profile "${name}"`, section ?? {}),
  }));
  if (profile === undefined) return base;
  const chosen = found.find(({ name }) => name === profile);
  if (chosen !== undefined) return { ...base, ...chosen.values };
  const names = found.map(({ name }) => name);
  const all = names.length === 0 ? 'It has no profiles.' : `It has: ${names.join(', ')}.`;
  throw new ConfigurationError(`The settings file ${path} has no profile "${profile}".`, {
    hint: [didYouMean(profile, names), all].filter((part) => part !== undefined).join(' '),
  });
}

const NAMES = [...SETTING_NAMES, 'credentials'];

function checkSection(path: string, title: string, section: unknown): Record<string, unknown> {
  if (!isSection(section)) throw new ConfigurationError(`In ${path}, ${title} must hold names and values.`);
  const unknown = Object.keys(section).filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) {
    const hints = unknown.map((name) => didYouMean(name, [...NAMES, 'profiles'])).filter((hint) => hint !== undefined);
    throw new ConfigurationError(`In ${path}, ${title} has what is no setting: ${unknown.join(', ')}.`, {
      hint: [...hints, `Settings are: ${NAMES.join(', ')}.`].join(' '),
    });
  }
  const plain = plainSettings(section);
  const nested = Object.keys(plain).filter(
    (name) => isSettingName(name) && typeof plain[name] === 'object' && plain[name] !== null,
  );
  if (nested.length === 0) return withoutEmpty(plain);
  throw new ConfigurationError(`In ${path}, ${title} must give a single value for ${nested.join(', ')}.`);
}

/** What is empty in a section does not hide what the top level gives. */
function withoutEmpty(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  );
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const READ = 0o044;
const WRITE = 0o022;

/** What others may do with it: read the secrets in it, or send them elsewhere by another address. */
async function openTo(path: string): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined;
  const { mode } = await stat(path);
  const rights = [(mode & READ) !== 0 ? 'read' : '', (mode & WRITE) !== 0 ? 'changed' : ''];
  const open = rights.filter((right) => right !== '');
  return open.length === 0 ? undefined : open.join(' and ');
}
