/** Reads the tenant, writes the file, and reports what the file contains and what it lacks. */
import { lstatSync } from 'node:fs';
import { PreconditionError, UsageError } from '../../../../core/errors.ts';
import { plural } from '../../../../core/text/numbers.ts';
import { isForPrograms } from '../../../../hosts/terminal/line/options.ts';
import { type Session, sessionOf } from '../../../../hosts/terminal/line/session.ts';
import type { force, only } from '../../../../hosts/terminal/line/shared-flags.ts';
import type { SubcommandContext } from '../../../../hosts/terminal/line/subcommand.ts';
import { commandRunner } from '../../../../hosts/terminal/result/command-runner.ts';
import { jsonText } from '../../../../hosts/terminal/ui/json.ts';
import { sanitize } from '../../../../hosts/terminal/ui/sanitize.ts';
import { checkFileWritable, writeFileAtomically, writeNewFile } from '../../../../node/files/atomic-write.ts';
import { OWNER_ONLY } from '../../../../node/files/commit-file.ts';
import { type Exported, exportTenant, PARTS, type PartName } from '../../export.ts';

type ExportContext = SubcommandContext<{ only: typeof only; force: typeof force }>;

const STDOUT = '-';

/** Exports the tenant. @param file or `-` for standard output @returns the exit code */
export async function runExport(file: string, cli: ExportContext): Promise<number> {
  const { host, options, screen, signal } = cli;
  const parts = partsOf(options.only);
  if (file !== STDOUT) await checkPlace(file, options.force);
  const session = await sessionOf(cli);
  try {
    const exported = await exportTenant(commandRunner(host, session, signal, { literal: true }), parts);
    const asJson = file === STDOUT ? options.format === 'json' : /\.json$/i.test(file);
    const text = await textOf(exported, asJson);
    if (file === STDOUT) screen.result(text.trimEnd());
    else {
      if (!options.dryRun) await write(file, text, options.force);
      tell(exported, file, cli, session);
    }
    if (!options.quiet) for (const note of exported.notes) screen.note(`note: ${sanitize(note).replace(/\s+/g, ' ')}`);
    return 0;
  } finally {
    await session.close();
  }
}

/** Reads the kinds of `--only`. @throws UsageError for an unknown kind or an empty list */
function partsOf(given: string | undefined): readonly PartName[] {
  if (given === undefined) return PARTS;
  const names = given.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !PARTS.some((part) => part === name));
  if (unknown === undefined) return PARTS.filter((part) => names.includes(part));
  throw new UsageError(`Option --only does not know the kind "${unknown.slice(0, 60)}".`, {
    hint: `The kinds are: ${PARTS.join(', ')}.`,
  });
}

/** Checks, before any request, that the file can be written without losing an existing file. */
async function checkPlace(file: string, isForced: boolean): Promise<void> {
  const existing = lstatSync(file, { throwIfNoEntry: false });
  if (existing !== undefined && !isForced) throw exists(file);
  await checkFileWritable(file);
}

function exists(file: string): PreconditionError {
  return new PreconditionError(`${file} exists, and is not overwritten.`, {
    hint: 'Choose another name, or write over it with --force.',
  });
}

/** Only the user may read a new file: keywords and prompts may be confidential. */
async function write(file: string, text: string, isForced: boolean): Promise<void> {
  if (isForced) return writeFileAtomically(file, text, OWNER_ONLY);
  if (!(await writeNewFile(file, text, OWNER_ONLY))) throw exists(file);
}

/** Writes the document: JSON, or YAML that every parser reads the same way. */
async function textOf({ document }: Exported, asJson: boolean): Promise<string> {
  if (asJson) return `${JSON.stringify(document, undefined, 2)}\n`;
  const { yamlText } = await import('../../../../hosts/terminal/ui/yaml.ts');
  return `${yamlText(document)}\n`;
}

/** Reports what the file contains: as data for programs, otherwise in a sentence. */
function tell(
  { counts, notes, simulated }: Exported,
  file: string,
  { screen, format, options }: ExportContext,
  session: Session,
): void {
  const tenant = session.configuration.settings.tsg_id;
  if (isForPrograms(format)) {
    const flags = { ...(simulated ? { simulated } : {}), ...(options.dryRun ? { dry_run: true } : {}) };
    const outcome = { file, tenant: tenant ?? null, counts: Object.fromEntries(counts), notes, ...flags };
    screen.result(jsonText(outcome, screen.terminal));
    return;
  }
  const what = counts.map(([kind, count]) => plural(count, kind.replace(/s$/, ''))).join(', ');
  const where = options.dryRun ? `would be written to ${file}` : `in ${file}`;
  screen.result(sanitize(`${what} of ${tenant === undefined ? 'the tenant' : `tenant ${tenant}`} ${where}.`));
  if (simulated) screen.note('note: answered by the simulated service, not by a tenant.');
}
