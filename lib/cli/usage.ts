/** Help of the program. */

import { type OptionTable, tableOf } from '../hosts/terminal/options/options.ts';
import { definitions, type Page } from '../hosts/terminal/render/wrap.ts';
import type { Subcommands } from '../hosts/terminal/subcommand.ts';
import { groupLines } from '../hosts/terminal/views/command-help.ts';
import { ENVIRONMENT, EXIT_CODES } from './reference.ts';

const FORMS: readonly (readonly [string, string])[] = [
  ['aisec COMMAND NAME=VALUE ...', 'Run a command: aisec runtime-scan prompt="hi"'],
  ['aisec', 'Open the war room: history, completion, context.'],
  ['... | aisec', 'Run one command per line.'],
];

/** Further pages of help, which `aisec help WORD` shows. */
export const TOPICS: Readonly<Record<string, (page: Page, table: OptionTable) => readonly string[]>> = {
  options: (page, table) => optionLines(Object.entries(table), page),
  environment: (page) => definitions(ENVIRONMENT, page),
  'exit-codes': (page) => definitions(EXIT_CODES, page),
};

/** Renders `--help`, which fits one screen. */
export function usage(subcommands: Subcommands, page: Page): string {
  const { style } = page;
  const all = Object.entries(subcommands).filter(([, { hidden }]) => hidden !== true);
  const everyday = all.filter(([, { everyday: is }]) => is === true);
  const others = all.filter(([name, { everyday: is }]) => is !== true && name !== 'help').map(([name]) => name);
  return [
    style.bold('Usage'),
    ...definitions(FORMS, page),
    style.bold('Subcommands'),
    ...definitions(
      [
        ...everyday.map(([name, { summary }]) => [`aisec ${name}`, summary] as const),
        ['aisec help NAME', `Details; also: ${others.join(', ')}.`],
      ],
      page,
    ),
    style.bold('Commands'),
    ...groupLines(page),
    style.bold('More'),
    ...definitions(
      [
        ['--simulate', 'Use the simulated service: no tenant is needed.'],
        ['--output FORMAT', 'table, json, jsonl, ...; all options: aisec help options'],
      ],
      page,
    ),
    `  Also: ${Object.keys(TOPICS)
      .filter((name) => name !== 'options')
      .map((name) => `aisec help ${name}`)
      .join(', ')}.`,
  ].join('\n');
}

/** Renders a page of help other than that of a command. */
export function helpPage(word: string, subcommands: Subcommands, page: Page): string | undefined {
  const topic = Object.hasOwn(TOPICS, word) ? TOPICS[word] : undefined;
  return topic === undefined ? subcommandUsage(word, subcommands, page) : topic(page, tableOf(subcommands)).join('\n');
}

function subcommandUsage(name: string, subcommands: Subcommands, page: Page): string | undefined {
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand === undefined) return undefined;
  const own = Object.entries(tableOf(subcommands)).filter(([, { of }]) => of?.includes(name) === true);
  return [
    page.style.bold(`aisec ${subcommand.usage}`),
    `  ${subcommand.summary}`,
    ...(own.length === 0 ? [] : ['', page.style.bold('Options'), ...optionLines(own, page)]),
  ].join('\n');
}

function optionLines(options: readonly (readonly [string, OptionTable[string]])[], page: Page): string[] {
  return definitions(
    options.map(([name, { value, description }]) => [
      `${name === 'help' ? '-h, ' : ''}--${name}${value === undefined ? '' : ` ${value}`}`,
      description,
    ]),
    page,
  );
}
