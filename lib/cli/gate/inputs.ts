/** What `aisec gate` judges: every word of its line is judged, or the line is refused. */
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { NotFoundError, UsageError } from '../../engine/errors.ts';
import type { Files } from '../../engine/ports.ts';
import type { BulkRequest } from '../../features/gate/gates.ts';
import { DASH } from '../../hosts/terminal/input/standard-input.ts';
import type { Options } from '../../hosts/terminal/options/cli-options.ts';
import { OWN_OPTIONS, optionName } from '../../hosts/terminal/options/options.ts';
import { quoted } from '../../hosts/terminal/render/tally.ts';
import { codeOf } from '../../node/system-error.ts';

/** Options that a further gate on the same line would have, too. */
const SHARED = ['policy', 'maxAsr', 'failOn', 'baseline', 'profile', 'simulate'] as const;

/** Refuses words that a gate would pass over: only a bulk gate judges several results. @throws UsageError */
export function checkGateWords(words: readonly string[], options: Options): void {
  const [kind = '', ...subjects] = words;
  if (kind === 'bulk') {
    if (subjects.length > 1 && options.csv !== undefined)
      throw new UsageError('Option --csv locates the prompts of one file, and there are several.', {
        hint: 'Gate each file with the table of its prompts.',
      });
    return;
  }
  // With --start, further words are arguments of the scan.
  if (subjects.length < 2 || options.start !== undefined) return;
  const more = SHARED.flatMap((name) => {
    const value = options[name];
    if (value === undefined || value === false) return [];
    const option = `--${optionName(name, OWN_OPTIONS[name])}`;
    return value === true ? [option] : [option, quoted(String(value))];
  });
  const lines = subjects.map((subject) => ['aisec gate', kind, quoted(subject), ...more].join(' '));
  throw new UsageError(`aisec gate ${kind} judges one scan, and there are ${subjects.length}.`, {
    hint: `Run: ${lines.join(' && ')}`,
  });
}

/**
 * Opens the files of a bulk gate, does the work, and closes them.
 * @throws NotFoundError that lists all files that do not exist
 */
export async function withBulkFiles<Value>(
  paths: readonly string[],
  files: Files,
  work: (requests: readonly BulkRequest[]) => Promise<Value>,
): Promise<Value> {
  const missing: string[] = [];
  for (const path of paths) if (path !== DASH && (await isMissing(path))) missing.push(path);
  if (missing.length > 0) {
    const names = missing.map((path) => path.slice(0, 200)).join(', ');
    throw new NotFoundError(`${names} ${missing.length === 1 ? 'does' : 'do'} not exist.`, {
      hint: 'Nothing was judged: check the names, and run the gate again.',
    });
  }
  const names = paths.map((path) => basename(path));
  const requests: BulkRequest[] = [];
  try {
    for (const [at, path] of paths.entries()) {
      const entry = await files.find(path);
      // Files of two folders may have one name.
      const isUnique = names.indexOf(names[at] ?? '') === names.lastIndexOf(names[at] ?? '');
      requests.push({ reader: await files.read(entry), name: isUnique ? entry.name : path });
    }
    return await work(requests);
  } finally {
    for (const { reader } of requests) await reader.close();
  }
}

async function isMissing(path: string): Promise<boolean> {
  const code = await stat(resolve(path)).then(
    () => undefined,
    (thrown: unknown) => codeOf(thrown),
  );
  return code === 'ENOENT' || code === 'ENOTDIR';
}
