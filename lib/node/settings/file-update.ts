/** Writes one section of the settings file; leaves comments and other sections unchanged. */
import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Document, YAMLMap } from 'yaml';
import { ConfigurationError } from '../../core/errors.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { OWNER_ONLY } from '../files/commit-file.ts';
import { cannotWrite } from '../files/writable.ts';
import { codeOf } from '../system/system-error.ts';
import { parseSections, readText, type SettingsSections } from './file.ts';

const PROFILES = 'profiles';

/**
 * Sets values in a section, and creates file and section if they are missing. Afterwards only its owner can access the
 * file.
 * @throws ConfigurationError if the file is invalid, cannot be written, or shares values between sections
 */
export async function writeSection(
  path: string,
  name: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const before = (await readText(path, false)) ?? '';
  const sections = await parseSections(path, before);
  const after = await withSection(before, name, values);
  // Reject a change that an alias carries into another section, or that makes the file unreadable.
  if (!isSameBut(name, sections, await parseSections(path, after).catch(() => undefined), values)) {
    throw new ConfigurationError(`The settings file ${path} cannot be changed without changing other sections.`, {
      hint: `Write the section "${name}" by hand, or choose another name with --profile NAME.`,
    });
  }
  await restrict(path);
  await writeFileAtomically(path, after, OWNER_ONLY);
}

async function withSection(text: string, name: string, values: Readonly<Record<string, string>>): Promise<string> {
  const { isMap, isScalar, parseDocument, Scalar } = await import('yaml');
  const document: Document = parseDocument(text.replace(/^\uFEFF/, ''), { schema: 'failsafe', logLevel: 'error' });
  if (isScalar(document.contents) || document.contents === null) document.contents = document.createNode({});
  // Keep JSON valid: new collections follow the style of the file, and new strings get double quotes.
  const flow = isMap(document.contents) && document.contents.flow === true;
  const quoted = (value: string) => Object.assign(new Scalar(value), { type: Scalar.QUOTE_DOUBLE });
  const key = (value: string) => (flow ? quoted(value) : new Scalar(value));
  const child = (parent: YAMLMap, member: string): YAMLMap => {
    const found = parent.get(member, true);
    if (isMap(found)) return found;
    const made = document.createNode({}, { flow });
    if (parent.has(member)) parent.set(member, made);
    else parent.add(document.createPair(key(member), made));
    return made;
  };
  if (!isMap(document.contents)) throw new Error('The settings file cannot be updated: its top level is not a map.');
  const section = child(child(document.contents, PROFILES), name);
  if (values['client_id'] !== undefined || values['client_secret'] !== undefined) section.delete('credentials');
  for (const [member, value] of Object.entries(values)) {
    const found = section.get(member, true);
    // A scalar that stays keeps its comment.
    if (isScalar(found)) Object.assign(found, { value, type: Scalar.QUOTE_DOUBLE });
    else if (section.has(member)) section.set(member, quoted(value));
    else section.add(document.createPair(key(member), quoted(value)));
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function isSameBut(
  name: string,
  before: SettingsSections,
  after: SettingsSections | undefined,
  values: Readonly<Record<string, string>>,
): boolean {
  if (after === undefined) return false;
  const others = ({ base, sections }: SettingsSections) =>
    JSON.stringify([base, sections.filter((section) => section.name !== name)]);
  const written = after.sections.find((section) => section.name === name)?.values ?? {};
  return others(before) === others(after) && Object.entries(values).every(([key, value]) => written[key] === value);
}

/** Makes the file private before it gets new secrets; the write keeps the mode. */
async function restrict(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const existing = await stat(path);
    if (!existing.isFile()) throw new ConfigurationError(`The settings file ${path} is not a file.`);
    await chmod(path, OWNER_ONLY);
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) throw thrown;
    // A missing file is created private.
    if (codeOf(thrown) === 'ENOENT') return;
    throw cannotWrite(
      `The settings file ${path} cannot be written`,
      thrown,
      'Check the directory and its permissions.',
    );
  }
}
