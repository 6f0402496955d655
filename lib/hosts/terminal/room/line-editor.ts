/**
 * Adapts the line editor of Node.js, which since version 24 treats U+2028 and U+2029 in a pasted text as line breaks.
 */
import { createInterface, type Interface, type ReadLineOptions } from 'node:readline';
import { sanitize } from '../ui/sanitize.ts';

/** The methods that Node's own REPL replaces and calls; they have no types. */
type Editor = Interface & {
  _ttyWrite(text: string | undefined, key: unknown): void;
  _insertString(text: string): void;
};

const SEPARATOR = /([\u2028\u2029])/;

/** Opens an editor whose lines end only at LF and CR, the characters that terminal keys send. */
export function openLineEditor(options: ReadLineOptions): Interface {
  const editor = createInterface({ ...options, terminal: true }) as Editor;
  const write = editor._ttyWrite;
  editor._ttyWrite = (text, key) => {
    if (text === undefined || !SEPARATOR.test(text)) write.call(editor, text, key);
    else for (const part of text.split(SEPARATOR)) editor._insertString(part);
  };
  return editor;
}

/**
 * Reverse search in the history of the war room. node:readline does not have it, so Ctrl-R turns the line into a search
 * word: the prompt shows the newest matching entry, Ctrl-R again shows the next older match, Enter or Tab accepts it
 * into the line, Ctrl-G or Escape restores the typed text.
 */
export interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

export type Search = ReturnType<typeof historySearch>;

interface State {
  readonly typed: string;
  /** Number of newer matches that are skipped. */
  skipped: number;
}

const WIDEST = 60;

/** @param entries newest first @param restore shows the usual prompt again */
export function historySearch(lines: Interface, entries: () => readonly string[], restore: () => void) {
  let state: State | undefined;
  const found = ({ skipped }: State) => {
    const fits = entries().filter((entry) => lines.line !== '' && entry.includes(lines.line));
    return fits[Math.min(skipped, fits.length - 1)];
  };
  const show = (current: State) => {
    const match = found(current);
    const shown = match === undefined ? 'nothing found' : sanitize(match).replace(/\s+/g, ' ').slice(0, WIDEST);
    lines.setPrompt(`(search: ${shown}) `);
    lines.prompt(true);
  };
  const end = (text: string) => {
    state = undefined;
    restore();
    replaceLine(lines, text);
  };
  return {
    /** Handles a key after readline. @returns true if the search has used the key */
    key: ({ name, ctrl = false }: Key) => {
      if (ctrl && name === 'r') {
        if (state === undefined) state = { typed: lines.line, skipped: 0 };
        else state.skipped += 1;
        show(state);
        return true;
      }
      if (state === undefined) return false;
      if (name === 'escape' || (ctrl && name === 'g')) end(state.typed);
      else if (ctrl && name === 'c') state = undefined;
      else if (name === 'tab' || name === 'right') end(found(state) ?? lines.line);
      else if (name !== 'return' && name !== 'enter') {
        state.skipped = 0;
        show(state);
      }
      return true;
    },
    /** Handles a submitted line. @returns true if the line was a search and must not be run */
    submit: (text: string) => {
      if (state === undefined) return false;
      const fits = entries().filter((entry) => text !== '' && entry !== text && entry.includes(text));
      end(fits[Math.min(state.skipped, fits.length - 1)] ?? text);
      return true;
    },
  };
}

function replaceLine(lines: Interface, text: string): void {
  lines.write(null, { ctrl: true, name: 'e' });
  lines.write(null, { ctrl: true, name: 'u' });
  // Assign the text, because writing a line break would submit the line.
  Object.assign(lines, { line: text, cursor: text.length });
  lines.prompt(true);
}
