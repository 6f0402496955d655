/**
 * Reads the settings file: YAML or JSON, with a section for each tenant. The yaml package is loaded only if there is a file.
 */
import { stat } from 'node:fs/promises';
import { CancelledError, ConfigurationError, UsageError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { isMarkName, MARK_NAMES, MARKS, type Marks, readMark } from '../../core/marks.ts';
import { isSettingName, SETTING_NAMES } from '../../core/parameters.ts';
import { didYouMean } from '../../runtime/arguments/suggest.ts';
import { plainSettings } from '../../runtime/settings/settings.ts';
import { decodeText } from '../files/decode-text.ts';
import { readBytes, TooLargeError, whyUnreadable } from '../files/read-bytes.ts';
import { codeOf } from '../system/system-error.ts';
import { namedProfile, type SettingsFileRequest, settingsPath } from './location.ts';

/** The file that a run uses. */
export interface SettingsFileUse extends Marks {
  path: string;
  /** The section in use; absent if only the top level is used. */
  profile?: string;
  /** True if the section was requested by name. */
  isNamed: boolean;
}

export interface SettingsFile extends SettingsFileUse {
  /** Values by setting name; the section overrides the top level. */
  values: Readonly<Record<string, unknown>>;
  /** Sentences for the user. */
  warnings: readonly string[];
}

/** The checked sections of a file. */
export interface SettingsSections {
  readonly path: string;
  /** Values of the top level, which every section inherits. */
  readonly base: Section;
  readonly sections: readonly (Section & { readonly name: string })[];
}

export interface Section {
  readonly values: Readonly<Record<string, unknown>>;
  readonly marks: Readonly<Partial<Marks>>;
}

/** The default section, which `init` writes. */
export const DEFAULT_PROFILE = 'default';

const MAX_BYTES = 1_000_000;
const NAMES = [...SETTING_NAMES, 'credentials', ...MARK_NAMES];

/**
 * Reads the settings file.
 * @returns undefined if no file was requested and the default path has no file
 * @throws ConfigurationError if the requested file or section is missing or invalid; the message contains no value
 */
export async function readSettingsFile(request: SettingsFileRequest): Promise<SettingsFile | undefined> {
  const profile = namedProfile(request);
  const found = await readSections(request);
  if (found === undefined) {
    if (profile === undefined) return undefined;
    const path = settingsPath(request);
    throw new ConfigurationError(`There is no settings file with a profile "${profile}".`, {
      hint: `Pass one with --config FILE${path === undefined ? '' : `, or write ${path} with: aisec init --profile ${profile}`}.`,
    });
  }
  const { path } = found;
  const selected = selectProfile(found, profile);
  const others = await accessOfOthers(path);
  const warning = `The settings file ${path} can be ${others} by other users; restrict it with chmod 600.`;
  return { path, ...selected, isNamed: profile !== undefined, warnings: others === undefined ? [] : [warning] };
}

/** Reads and checks all sections. @returns undefined if the file is missing and was not requested by its path */
export async function readSections(request: SettingsFileRequest): Promise<SettingsSections | undefined> {
  const path = settingsPath(request);
  const text = path === undefined ? undefined : await readText(path, request.path !== undefined, request.signal);
  return path === undefined || text === undefined ? undefined : parseSections(path, text);
}

/** Reads the file. @returns undefined if it is missing and not required */
export async function readText(path: string, needed: boolean, signal?: AbortSignal): Promise<string | undefined> {
  const what = `The settings file ${path}`;
  try {
    return decodeText(await readBytes(path, { signal, maxBytes: MAX_BYTES }), what);
  } catch (thrown) {
    if (thrown instanceof CancelledError) throw thrown;
    if (thrown instanceof UsageError) throw new ConfigurationError(thrown.message, { hint: thrown.hint });
    if (thrown instanceof TooLargeError) throw new ConfigurationError(`${what} is larger than 1 MB.`);
    const code = codeOf(thrown);
    if (!needed && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    throw new ConfigurationError(`${what} ${whyUnreadable(thrown)}.`, { hint: 'Check the path and its permissions.' });
  }
}

async function parse(path: string, text: string): Promise<Readonly<Record<string, unknown>>> {
  const { isScalar, parseDocument, visit } = await import('yaml');
  // Strings only: a number would lose the leading zeros of an id, and every digit after the fifteenth.
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    schema: 'failsafe',
    prettyErrors: true,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const [position] = error.linePos ?? [];
    const location = position === undefined ? '' : `, line ${position.line}, column ${position.col}`;
    throw new ConfigurationError(
      `The settings file ${path} is not valid YAML or JSON${location}: ${YAML_PROBLEMS[error.code] ?? 'the text is not well-formed'}.`,
    );
  }
  visit(document, {
    Scalar: (_, node) => {
      if (isScalar(node) && node.type === 'PLAIN' && ['', '~', 'null'].includes(String(node.value))) node.value = null;
    },
  });
  const value = plainValue(() => document.toJS({ maxAliasCount: 10 }));
  if (isObject(value)) return value;
  throw new ConfigurationError(`The settings file ${path} must contain names and values, such as "url: https://...".`);
}

/** Converts the document. @returns undefined if its aliases are broken or too many */
function plainValue(convert: () => unknown): unknown {
  try {
    return convert() ?? {};
  } catch {
    return undefined;
  }
}

/** Replaces the library's messages, which quote the line, because the line may contain a secret. */
const YAML_PROBLEMS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'a name is given twice',
  TAB_AS_INDENT: 'a tab is used for indentation',
  BAD_INDENT: 'the indentation does not fit',
  MISSING_CHAR: 'a quote, bracket or comma is missing',
  MULTIPLE_DOCS: 'there is more than one document',
};

/** Parses and checks the text of a file. @throws ConfigurationError without any value of the file */
export async function parseSections(path: string, text: string): Promise<SettingsSections> {
  const { profiles, ...top } = await parse(path, text);
  const sections = profiles ?? {};
  if (!isObject(sections))
    throw new ConfigurationError(`In ${path}, "profiles" must contain one section for each name.`);
  return {
    path,
    base: checkSection(path, 'the top level', top),
    sections: Object.entries(sections).map(([name, section]) => ({
      name,
      ...checkSection(path, `profile "${name}"`, section ?? {}),
    })),
  };
}

function selectProfile({ path, base, sections }: SettingsSections, profile: string | undefined) {
  const chosen = sections.find(({ name }) => name === (profile ?? DEFAULT_PROFILE));
  if (chosen !== undefined) {
    return { values: { ...base.values, ...chosen.values }, profile: chosen.name, ...marksOf(base, chosen) };
  }
  if (profile === undefined) return { values: base.values, ...marksOf(base) };
  const names = sections.map(({ name }) => name);
  const all = names.length === 0 ? 'It has no profiles.' : `It has: ${names.join(', ')}.`;
  throw new ConfigurationError(`The settings file ${path} has no profile "${profile}".`, {
    hint: [didYouMean(profile, names), all].filter((part) => part !== undefined).join(' '),
  });
}

/** Returns the marks of a section, which override the top level's marks. */
export function marksOf(base: Section, section?: Section): Marks {
  return { production: MARKS.production.default, ...base.marks, ...section?.marks };
}

function checkSection(path: string, title: string, section: unknown): Section {
  if (!isObject(section)) throw new ConfigurationError(`In ${path}, ${title} must contain names and values.`);
  const unknown = Object.keys(section).filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) {
    const hints = unknown.map((name) => didYouMean(name, [...NAMES, 'profiles'])).filter((hint) => hint !== undefined);
    throw new ConfigurationError(`Unknown setting in ${path}, ${title}: ${unknown.join(', ')}.`, {
      hint: [...hints, `Settings are: ${NAMES.join(', ')}.`].join(' '),
    });
  }
  const plain = plainSettings(Object.fromEntries(Object.entries(section).filter(([name]) => !isMarkName(name))));
  const nested = Object.keys(plain).filter(
    (name) => isSettingName(name) && typeof plain[name] === 'object' && plain[name] !== null,
  );
  if (nested.length > 0) {
    throw new ConfigurationError(`In ${path}, ${title} must have a single value for ${nested.join(', ')}.`);
  }
  return { values: withoutEmpty(plain), marks: readMarks(path, title, section) };
}

function readMarks(path: string, title: string, section: Readonly<Record<string, unknown>>): Partial<Marks> {
  const marks: Partial<Marks> = {};
  for (const name of MARK_NAMES) {
    const value = readMark(section[name], `In ${path}, ${title} must have "${name}"`);
    if (value !== undefined) marks[name] = value;
  }
  return marks;
}

/** Drops empty values, so that they do not hide values of the top level. */
function withoutEmpty(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

const READ = 0o044;
const WRITE = 0o022;

/** Returns what other users can do with the file: read its secrets, or change where they are sent. */
async function accessOfOthers(path: string): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined;
  const { mode } = await stat(path);
  const rights = [(mode & READ) !== 0 ? 'read' : '', (mode & WRITE) !== 0 ? 'changed' : ''];
  const open = rights.filter((right) => right !== '');
  return open.length === 0 ? undefined : open.join(' and ');
}
