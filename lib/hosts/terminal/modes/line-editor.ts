/** The line editor of Node.js, which from version 24 on takes U+2028 and U+2029 in a pasted text for line ends. */
import { createInterface, type Interface, type ReadLineOptions } from 'node:readline';

/** The methods that Node's own prompt replaces and calls; they have no types. */
type Editor = Interface & {
  _ttyWrite(text: string | undefined, key: unknown): void;
  _insertString(text: string): void;
};

const SEPARATOR = /([\u2028\u2029])/;

/** Opens an editor whose lines end at LF and CR, which are the keys of a terminal. */
export function openLineEditor(options: ReadLineOptions): Interface {
  const editor = createInterface({ ...options, terminal: true }) as Editor;
  const write = editor._ttyWrite;
  editor._ttyWrite = (text, key) => {
    if (text === undefined || !SEPARATOR.test(text)) write.call(editor, text, key);
    else for (const part of text.split(SEPARATOR)) editor._insertString(part);
  };
  return editor;
}
