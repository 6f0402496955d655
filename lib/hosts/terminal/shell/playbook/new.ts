/** `aisec playbook new NAME`: writes a small playbook to start from. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PreconditionError, UsageError } from '../../../../core/errors.ts';
import { writing } from '../../../../node/files/writable.ts';
import { codeOf } from '../../../../node/system/system-error.ts';
import { playbookTemplate } from '../../../../playbook/template.ts';
import { isForPrograms } from '../../line/options.ts';
import type { SubcommandContext } from '../../line/subcommand.ts';
import { jsonText } from '../../ui/json.ts';

/** A name that needs no quotes in YAML, and names no folder. */
const NAME = /^[a-z][\w-]*(?: [\w-]+)*$/i;

/** Writes the playbook to `--files-dir`, or to the working directory; an existing file is never overwritten. */
export async function newPlaybook(
  name: string,
  { options, screen, format }: Pick<SubcommandContext, 'options' | 'screen' | 'format'>,
): Promise<number> {
  const stem = name.replace(/\.ya?ml$/i, '');
  if (!NAME.test(stem) || stem.length > 60) {
    throw new UsageError(`"${name.slice(0, 60)}" is not a name for a playbook.`, {
      hint: 'Use letters, digits, hyphens and spaces, such as: aisec playbook new admit-prompt',
    });
  }
  const directory = options.filesDirectory ?? '.';
  const file = join(directory, `${stem.replace(/ /g, '-')}.yml`);
  const text = playbookTemplate(stem, file, randomUUID);
  if (options.dryRun) {
    if (existsSync(file)) throw existing(file);
    if (isForPrograms(format)) screen.result(jsonText({ playbook: stem, file, dry_run: true, text }, screen.terminal));
    else screen.result(`${file} would be written:\n\n${text.trimEnd()}`);
    return 0;
  }
  await writing(directory, () => create(directory, file, text));
  if (isForPrograms(format)) screen.result(jsonText({ playbook: stem, file }, screen.terminal));
  else {
    screen.result(`${file} is written. Check it, then run it:`);
    screen.result(`  aisec playbook ${file} --check\n  aisec --simulate playbook ${file} --trace`);
  }
  return 0;
}

async function create(directory: string, file: string, text: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown;
    throw existing(file);
  }
}

function existing(file: string): PreconditionError {
  return new PreconditionError(`${file} exists, and is not overwritten.`, { hint: 'Choose another name.' });
}
