/** What to report of a fault of this program: nothing of its user, and of the machine no more than its platform. */
import type { UnexpectedError } from '../../errors.ts';
import { redaction } from '../../redaction/redact.ts';

/** What the report of a fault needs of the program. */
export interface Program {
  readonly version: string;
  /** Was more than the message asked for? */
  readonly debug: boolean;
  /** Values that must not be shown. */
  readonly secrets: () => readonly string[];
}

export interface FaultReport {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  readonly stack: readonly string[];
}

/** The message of a fault, without secrets and paths. */
export function faultMessage({ message }: UnexpectedError, { secrets }: Program): string {
  return withoutPaths(redaction({ secrets: secrets() }).text(message));
}

export function faultReport({ frames }: UnexpectedError, { version, secrets }: Program): FaultReport {
  const { text } = redaction({ secrets: secrets() });
  return {
    version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    stack: frames.map((frame) => text(ownFrame(frame))),
  };
}

// A name of a function, and a place in a file or in the engine.
const FRAME = /^\s*at (?:(.+) \()?(.+?)(:\d+:\d+)?\)?$/;
const OWN_FOLDERS = ['dist', 'bin', 'lib', 'commands', 'context', 'fixtures', 'node_modules'];

function ownFrame(frame: string): string {
  const [, name, place = '', line = ''] = FRAME.exec(frame) ?? [];
  const where = place.startsWith('node:') ? place : ownPath(place);
  return name === undefined ? `at ${where}${line}` : `at ${name} (${where}${line})`;
}

/** From the program's own folder on; of a file elsewhere, its name. */
function ownPath(path: string): string {
  const parts = path.split(/[\\/]/);
  const start = parts.findLastIndex((part, at) => at < parts.length - 1 && OWN_FOLDERS.includes(part));
  return parts.slice(start).join('/');
}

const PATH = /(?<![\w.:/\\])(?:file:\/\/)?(?:\/?[A-Za-z]:)?[\\/](?:[^\s'"`()<>|:*?\\/]+[\\/])+/g;

/** Of paths in a sentence, the last part stays. */
function withoutPaths(text: string): string {
  return text.replace(PATH, '');
}
