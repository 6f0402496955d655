/** Runs `aisec samples`. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PreconditionError } from '../../core/errors.ts';
import { isForPrograms } from '../../hosts/terminal/options/options.ts';
import { quoted } from '../../hosts/terminal/options/shell.ts';
import { jsonText } from '../../hosts/terminal/render/json.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';
import { cannotWrite, checkDirectory } from '../../node/files/writable.ts';
import { codeOf } from '../../node/system-error.ts';
import { type Table, tableOf } from '../../output/readable.ts';
import { readableText } from '../tools/page.ts';
import { dlpSamples, type Entry, INDEX, type SampleFile } from './dlp.ts';
import { KINDS } from './kinds.ts';

const CHOOSE = 'Choose another directory.';

/** Lists the kinds of samples. */
export async function listKinds(cli: SubcommandContext): Promise<number> {
  const kinds = Object.entries(KINDS).map(([kind, about]) => ({ kind, about }));
  if (isForPrograms(cli.format)) cli.screen.result(jsonText(kinds, cli.screen.terminal));
  else await print('Samples', [tableOf(kinds)], ['Write them: aisec samples dlp DIR'], cli);
  return 0;
}

/** Writes the samples for DLP. @throws PreconditionError if one of the files exists: nothing is overwritten */
export async function writeDlp(directory: string, cli: SubcommandContext): Promise<number> {
  const { options, screen, format } = cli;
  const { files, index } = dlpSamples();
  await refuseExisting(directory, files);
  if (!options.dryRun) await writeAll(directory, files);
  if (isForPrograms(format)) {
    const dryRun = options.dryRun ? { dry_run: true } : {};
    screen.result(jsonText({ directory, index: join(directory, INDEX), files: index, ...dryRun }, screen.terminal));
    return 0;
  }
  const first = quoted(`prompt=@file:${join(directory, index[0]?.file ?? '')}`, screen.shell.dialect);
  const notes = options.dryRun
    ? ['Nothing was written.']
    : [
        `${join(directory, INDEX)} lists what each file should trigger. Try one:`,
        `aisec runtime-scan profile_name=NAME ${first}`,
      ];
  const title = options.dryRun ? `Samples that would be written to ${directory}` : `Samples in ${directory}`;
  await print(title, [tableFor(index)], notes, cli);
  return 0;
}

function tableFor(index: readonly Entry[]): Table {
  return tableOf(
    index.map(({ file, findings }) => ({
      file,
      findings: findings.map(({ pattern, count }) => `${count} × ${pattern}`).join(', ') || 'none: clean',
    })),
  );
}

async function print(title: string, tables: readonly Table[], notes: readonly string[], cli: SubcommandContext) {
  cli.screen.result(await readableText({ title, simulated: false, tables, notes }, cli));
}

async function refuseExisting(directory: string, files: readonly SampleFile[]): Promise<void> {
  const names = await namesIn(directory);
  const taken = files.map(({ name }) => name).filter((name) => names.includes(name));
  if (taken.length > 0) throw existing(directory, taken);
}

/** Lists a directory that may not exist yet. @throws ConfigurationError if it cannot be read */
async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw cannotWrite(`${directory} cannot be read`, thrown, CHOOSE);
  }
}

/** Writes the index last: it lists only files that are there. */
async function writeAll(directory: string, files: readonly SampleFile[]): Promise<void> {
  // Without a writable parent, a recursive mkdir can run forever (/proc).
  await checkDirectory(directory, CHOOSE);
  let name = '';
  try {
    await mkdir(directory, { recursive: true });
    for (const file of files) {
      name = file.name;
      await writeFile(join(directory, name), file.text, { flag: 'wx' });
    }
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') throw existing(directory, [name || 'a file']);
    throw cannotWrite(`The samples cannot be written to ${directory}`, thrown, CHOOSE);
  }
}

function existing(directory: string, names: readonly string[]): PreconditionError {
  return new PreconditionError(`${directory} has ${names.join(', ')} already, and nothing is overwritten.`, {
    hint: 'Choose an empty directory, or a new name.',
  });
}
