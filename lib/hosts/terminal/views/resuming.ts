/** Shows a person an unfinished run of the same work, before it is begun again and after it was stopped. */
import type { Invocation } from '../../../arguments/lexer.ts';
import type { Runtime } from '../../../core/runtime.ts';
import type { Command } from '../../../engine/command.ts';
import type { Result } from '../../../output/result.ts';
import type { Options } from '../options/cli-options.ts';
import { type Format, isForPrograms } from '../options/options.ts';
import type { Screen } from '../render/screen.ts';
import { UNBROKEN } from '../render/wrap.ts';
import { pasteable } from './paste.ts';
import { resumeLine, resumeShell, tellingEarlier, withResumeLine } from './resume-line.ts';

interface Resumable {
  readonly command: Command;
  readonly typed: Invocation;
  readonly screen: Screen;
  readonly options: Options;
  readonly format: Format;
  readonly runtime: Pick<Runtime, 'files'>;
}

/** Returns files that tell about an earlier run, and the result with the line that resumes it. */
export function resuming({ command, typed, screen, options, format, runtime: { files } }: Resumable) {
  const line = resumeLine(typed, command);
  screen.shell = resumeShell(screen.shell, options);
  const tell = async (sentence: string) => {
    const writing = { space: UNBROKEN, emphasis: screen.noteStyle.bold, isOwnLine: screen.noteTerminal };
    if (!options.quiet) screen.note(`note: ${pasteable(sentence, screen.shell, writing)}`);
  };
  return {
    files: tellingEarlier(files, tell, line),
    // Documents for programs have the sentence of the command.
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
