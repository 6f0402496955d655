/** Tells the user about an unfinished run of the same work, before it starts again and after it was stopped. */

import { declaredName } from '../../../client/names/aliases.ts';
import { withNamedValues } from '../../../client/names/values.ts';
import type { Files, SavedFile } from '../../../core/ports.ts';
import type { Runtime } from '../../../core/runtime.ts';
import { plural } from '../../../core/text/numbers.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import { isBulkEnd } from '../../../runtime/bulk/end.ts';
import { lineReader } from '../../../runtime/bulk/lines.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import type { Result } from '../../../runtime/output/result.ts';
import type { Options } from '../line/cli-options.ts';
import { type Format, isForPrograms } from '../line/options.ts';
import type { Screen } from '../ui/screen.ts';
import { quoted, type Shell } from '../ui/shell.ts';
import { UNBROKEN } from '../ui/wrap.ts';
import { pasteable } from './paste.ts';

interface Resumable {
  readonly command: Command;
  readonly typed: Invocation;
  readonly screen: Screen;
  readonly options: Options;
  readonly format: Format;
  readonly runtime: Pick<Runtime, 'files'>;
}

/** Returns files that report an earlier run, and the result with the line that resumes it. */
export function resuming({ command, typed, screen, options, format, runtime: { files } }: Resumable) {
  const line = resumeLine(typed, command);
  screen.shell = resumeShell(screen.shell, options);
  const tell = async (sentence: string) => {
    const writing = { space: UNBROKEN, emphasis: screen.noteStyle.bold, isOwnLine: screen.noteTerminal };
    if (!options.quiet) screen.note(`note: ${pasteable(sentence, screen.shell, writing)}`);
  };
  return {
    files: tellingEarlier(files, tell, line),
    // Output for programs keeps the command's own sentence.
    inResult: (result: Result): Result => {
      if (isForPrograms(format)) return result;
      const { readable } = result;
      return {
        ...result,
        readable: { ...readable, notes: readable.notes.map((note) => withResumeLine(note, line)) },
      };
    },
  };
}

/** The library's wording, because it does not know the line. */
const REPEAT = /Repeat the line with resume=true: prompts with a result are not scanned again\./;

/**
 * Returns the line that resumes the work; undefined if the line has a secret, content, a reference or standard input.
 */
export function resumeLine(typed: Invocation, command: Command): string | undefined {
  const pairs = withNamedValues(typed, command).pairs.filter(({ name }) => name !== 'resume');
  const given = pairs.map((pair) => declaredName(pair.name, command.args));
  const words: string[] = [];
  for (const { name, value } of pairs) {
    const argument = command.args[declaredName(name, command.args)];
    // The other argument replaces it.
    if ([argument?.unless ?? []].flat().some((other) => given.includes(other))) continue;
    const text = String(value);
    const isHidden = argument?.secret === true || (argument?.content === true && !/^@file:./.test(text));
    if (argument === undefined || isHidden || text === '-' || /[\r\n]|\$\{/.test(text)) return undefined;
    words.push(`${name}=${quoted(text, 'room')}`);
  }
  return [`!${command.name}`, ...words, 'resume=true'].join(' ');
}

/** Replaces the advice to repeat the line with the line itself. */
export function withResumeLine(text: string, line: string | undefined): string {
  return line === undefined ? text : text.replace(REPEAT, () => `To go on without scanning them again: ${line}.`);
}

/** Adds the directory of the run, because the run is found only there. The options of a war room stay. */
export function resumeShell(shell: Shell, { filesDirectory }: Pick<Options, 'filesDirectory'>): Shell {
  const option = `--files-dir=${filesDirectory}`;
  if (filesDirectory === undefined || shell.dialect === 'room' || shell.options.includes(option)) return shell;
  return { ...shell, options: [...shell.options, option] };
}

/** Reports an earlier run when its journal is replaced, which is before anything is sent. */
export function tellingEarlier(
  files: Files,
  tell: (sentence: string) => Promise<void>,
  line: string | undefined,
): Files {
  return {
    ...files,
    journal: async (name, resume) => {
      const journal = await files.journal(name, resume);
      const { earlier } = journal ?? {};
      if (earlier !== undefined) await tell(sentenceOf(await countOf(earlier, files), line));
      return journal;
    },
  };
}

function sentenceOf(count: number, line: string | undefined): string {
  const found = `An unfinished run of these prompts has ${plural(count, 'result')}, and this one begins again.`;
  return `${found} To go on with the other, stop this one and run: ${line ?? 'the same line with resume=true'}`;
}

/** Counts the rows of a run. */
async function countOf({ entry, name, size }: SavedFile, files: Files): Promise<number> {
  const lines = lineReader(await files.read({ entry, name, size }));
  let [count, last] = [0, ''];
  try {
    for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
      count += 1;
      last = line;
    }
    return last.includes('bulk-end') && isBulkEnd(JSON.parse(last)) ? count - 1 : count;
  } catch {
    return count;
  } finally {
    await lines.close();
  }
}
