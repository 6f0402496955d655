/** Builds the report of a bug in aisec, with no user data and, about the machine, only its platform. */
import type { UnexpectedError } from '../../../core/errors.ts';
import { redaction } from '../../../core/redaction/redact.ts';

/** Details about the program for a bug report. */
export interface Program {
  readonly version: string;
  /** Whether the log level asks for the stack. */
  readonly debug: boolean;
  /** Values to redact. */
  readonly secrets: () => readonly string[];
}

export type BugReport = ReturnType<typeof bugReport>;

/** Returns the message without secrets and paths. */
export function bugMessage({ message }: UnexpectedError, { secrets }: Program): string {
  return withoutPaths(redaction({ secrets: secrets() }).text(message));
}

export function bugReport({ frames }: UnexpectedError, { version, secrets }: Program) {
  const { text } = redaction({ secrets: secrets() });
  return {
    version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    stack: frames.map((frame) => text(ownFrame(frame))),
  };
}

// A function name, and a position in a file or in the JavaScript engine.
const FRAME = /^\s*at (?:(.+) \()?(.+?)(:\d+:\d+)?\)?$/;
const OWN_FOLDERS = ['dist', 'bin', 'lib', 'commands', 'context', 'fixtures', 'node_modules'];

function ownFrame(frame: string): string {
  const [, name, place = '', line = ''] = FRAME.exec(frame) ?? [];
  const where = place.startsWith('node:') ? place : ownPath(place);
  return name === undefined ? `at ${where}${line}` : `at ${name} (${where}${line})`;
}

/** Returns the path below the program's folder, or only the file name for a file elsewhere. */
function ownPath(path: string): string {
  const parts = path.split(/[\\/]/);
  const start = parts.findLastIndex((part, at) => at < parts.length - 1 && OWN_FOLDERS.includes(part));
  return parts.slice(start).join('/');
}

const PATH = /(?<![\w.:/\\])(?:file:\/\/)?(?:\/?[A-Za-z]:)?[\\/](?:[^\s'"`()<>|:*?\\/]+[\\/])+/g;

/** Reduces paths in a sentence to their last part. */
function withoutPaths(text: string): string {
  return text.replace(PATH, '');
}
