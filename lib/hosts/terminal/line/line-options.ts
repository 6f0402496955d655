/** Options at the end of a line that a person types, such as `runtime-topics-list --wide`. */

import { UsageError } from '../../../core/errors.ts';
import { tokenize } from '../../../runtime/arguments/lexer.ts';
import { MASKED } from '../../../runtime/arguments/masked-line.ts';
import { type Options, readOptions } from './cli-options.ts';
import { COMMAND_OPTIONS, type OptionTable, ROOM_OPTION_NAMES } from './options.ts';
import { shellWords } from './shell-words.ts';

/**
 * Splits a line before the first known option outside quotes. @returns the command, and the option words without quotes
 */
export function splitLine(line: string, table: OptionTable) {
  for (const { index, 1: name = '' } of line.matchAll(/\s--([a-z-]+)(?![^\s=])/g)) {
    const command = line.slice(0, index);
    if (Object.hasOwn(table, name) && !isOpen(command)) return { command, words: shellWords(line.slice(index)) };
  }
  return { command: line, words: [] };
}

function isOpen(text: string): boolean {
  try {
    tokenize(text);
    return false;
  } catch {
    return true;
  }
}

/**
 * Reads the options of a line in the war room.
 * @throws UsageError for an option that applies to the whole war room
 */
export function roomOptions(words: readonly string[], table: OptionTable): Partial<Options> {
  const { options, positionals } = readOptions(words, table);
  const stray = options.optionNames.find((name) => !ROOM_OPTION_NAMES.includes(name));
  if (stray !== undefined) {
    throw new UsageError(`Option --${stray} cannot be set for one line of the war room.`, {
      hint: `A line takes --${ROOM_OPTION_NAMES.join(', --')}; set others when aisec starts.`,
    });
  }
  if (positionals.length > 0) {
    throw new UsageError(`"${positionals[0]?.slice(0, 60)}" comes after an option.`, {
      hint: 'Options end the line. Quote a value with spaces: name="two words".',
    });
  }
  return givenOptions(options);
}

/** Keeps the options that were typed. */
export function givenOptions(options: Options): Partial<Options> {
  const isGiven = ([name, value]: readonly [string, unknown]) =>
    !['settings', 'optionNames'].includes(name) && value !== undefined && value !== false && String(value) !== '';
  return Object.fromEntries(Object.entries(options).filter(isGiven));
}

/**
 * Writes options for the history. Free text is masked, not left out, because a line without its filter would mean
 * something else. @param hasContent whether the command takes a prompt or a secret, in which case any unquoted word may
 * be part of it
 */
export function keptOptions(words: readonly string[], hasContent: boolean): string {
  try {
    const { optionNames, ...options } = readOptions(words, COMMAND_OPTIONS).options;
    roomOptions(words, COMMAND_OPTIONS);
    const place = (name: string) => words.findIndex((word) => word.split('=')[0] === `--${name}`);
    const typed = optionNames.toSorted((one, other) => place(one) - place(other));
    const kept = typed.map((name) => {
      if (COMMAND_OPTIONS[name]?.kind === 'flag') return `--${name}`;
      if (name === 'output') return `--output ${options.format}`;
      const names = name === 'fields' || name === 'sort' ? String(options[name]) : '';
      return `--${name} ${!hasContent && /^[\w.,:]+$/.test(names) ? names : MASKED}`;
    });
    return kept.map((text) => ` ${text}`).join('');
  } catch {
    return '';
  }
}
