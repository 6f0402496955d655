/**
 * The war room's history, readable only by its owner: prompts, responses and secrets are masked before it is written.
 */
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseLine } from '../../../client/argv.ts';
import { aliasOf } from '../../../client/names/aliases.ts';
import { entryNamed } from '../../../client/names/command-name.ts';
import type { ArgumentInfo, Catalogue } from '../../../manifest/catalogue.ts';
import { codeText } from '../../../node/system/system-error.ts';
import { userFolder } from '../../../node/system/user-folder.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import { maskedLine, mistypedCommand } from '../../../runtime/arguments/masked-line.ts';
import type { Environment } from '../ui/host.ts';

const MAX_LINES = 1000;
const OWNER_ONLY = 0o600;
const MAX_LINE_LENGTH = 2000;

export type History = ReturnType<typeof openHistory>;

/** Returns `$XDG_STATE_HOME/aisec/history`, or the same below `~/.local/state`. */
export function historyPath(environment: Environment): string {
  return join(userFolder('state', environment), 'history');
}

/** Opens the history. @param problem called once if the file cannot be used */
export function openHistory(path: string, problem: (message: string) => void) {
  let usable = true;
  const attempt = <Value>(work: () => Value, otherwise: Value): Value => {
    try {
      return usable ? work() : otherwise;
    } catch (thrown) {
      usable = false;
      problem(`the history ${path} cannot be used${codeText(thrown)}`);
      return otherwise;
    }
  };
  const lines = attempt(() => load(path), []);
  let last = lines.at(-1);
  return {
    /** Newest last. */
    lines,
    /** Appends a line. If the history cannot be written, the war room goes on. */
    add: (line: string) => {
      if (line === last || line.length > MAX_LINE_LENGTH) return;
      last = line;
      attempt(() => appendFileSync(path, `${line}\n`, { mode: OWNER_ONLY }), undefined);
    },
  };
}

function load(path: string): string[] {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) writeFileSync(path, '', { mode: OWNER_ONLY });
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, OWNER_ONLY);
  const all = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const kept = all.slice(-MAX_LINES);
  if (kept.length < all.length) writeFileSync(path, `${kept.join('\n')}\n`, { mode: OWNER_ONLY });
  return kept;
}

/**
 * Converts a typed line to its history entry.
 * @param line as typed, possibly on several lines
 * @returns one line, or undefined if the history must not keep it
 */
export function historyEntry(line: string, catalogue: Catalogue, builtIns: readonly string[]): string | undefined {
  const text = line.trim();
  const [word = ''] = text.split(/\s/);
  // Names, paths and numbers, as in `gate redteam 2c8f5e1b --max-asr 5`: without its options the line would mean
  // something else.
  if (builtIns.includes(word)) return /^[\w!.[\] /~,:-]+$/.test(text) ? text : word;
  const name = /^!?([a-z0-9-]+)(?![^\s"'`=])/.exec(text)?.[1] ?? '';
  const command = entryNamed(catalogue, name);
  if (command === undefined) return mistypedCommand(text);
  const invocation = parsed(text);
  const head = `${text.startsWith('!') || name === command.name ? '!' : ''}${name}`;
  // Any part of a line that does not parse may be a secret.
  return invocation?.name === name ? maskedLine(head, spellings(command.arguments), invocation, 'content') : head;
}

/** Lists arguments under all their names: `topic` means `topic_id`, and its value is treated in the same way. */
function spellings(known: readonly ArgumentInfo[]): readonly ArgumentInfo[] {
  const others = known.flatMap((argument) => {
    const { lookup } = argument;
    const names = [aliasOf(argument.name, argument), lookup?.takes === 'name' ? undefined : lookup?.noun];
    return names.flatMap((name) => (name === undefined ? [] : { ...argument, name, positional: false }));
  });
  return [...known, ...others];
}

/** Reports whether the command of a line takes a prompt, a response or a secret. */
export function takesContent(line: string, catalogue: Catalogue): boolean {
  const command = entryNamed(catalogue, line.trim().split(/\s/)[0] ?? '');
  return command?.arguments.some(({ content, secret }) => content || secret) !== false;
}

/** Returns the names of arguments and options whose values the history has masked. */
export function maskedArguments(line: string): string[] {
  const masks = line.matchAll(/(?:^|\s)(?:(\S+)=|(--[a-z-]+)\s)?\*\*\*(?=\s|$)/g);
  return [...masks].map(([, argument, option]) => argument ?? option ?? 'a value');
}

function parsed(text: string): Invocation | undefined {
  try {
    return parseLine(text);
  } catch {
    return undefined;
  }
}
