/** Help of the program, with tables that it shares with the manual page: exit codes, environment, files. */

import { SETTINGS } from '../../../core/parameters.ts';
import { type OptionTable, optionTable } from '../line/options.ts';
import type { Subcommands } from '../line/subcommand.ts';
import { groupLines } from '../result/command-help.ts';
import { definitions, type Page } from '../ui/wrap.ts';

const FORMS: readonly (readonly [string, string])[] = [
  ['aisec COMMAND NAME=VALUE ...', 'Run a command: aisec runtime-scan prompt="hi"'],
  ['aisec', 'Open the war room: history, completion, context.'],
  ['... | aisec', 'Run one command per line.'],
];

/** Other help pages, which `aisec help WORD` shows. */
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

/** Renders a help page that is not about a command. */
export function helpPage(word: string, subcommands: Subcommands, page: Page): string | undefined {
  const topic = Object.hasOwn(TOPICS, word) ? TOPICS[word] : undefined;
  return topic === undefined
    ? subcommandUsage(word, subcommands, page)
    : topic(page, optionTable(subcommands)).join('\n');
}

function subcommandUsage(name: string, subcommands: Subcommands, page: Page): string | undefined {
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand === undefined) return undefined;
  const own = Object.entries(optionTable(subcommands)).filter(([, { of }]) => of?.includes(name) === true);
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

type Pairs = readonly (readonly [term: string, meaning: string])[];

export const EXIT_CODES: Pairs = [
  ['0', 'Done.'],
  ['1', 'A gate failed, a guard cut a text, or --exit-code found a block or a difference.'],
  ['2', 'Usage, or an invalid argument.'],
  ['3', 'Configuration.'],
  ['4', 'Authentication or permission.'],
  ['5', 'Not found, conflict, or an unmet precondition.'],
  ['6', 'Quota.'],
  ['7', 'Rate limit.'],
  ['8', 'Service or response, or an unfinished result.'],
  ['9', 'Network, TLS, proxy or timeout.'],
  ['10', 'Partial success.'],
  ['129', 'Ended by the end of its terminal.'],
  ['130', 'Cancelled.'],
  ['143', 'Ended by SIGTERM.'],
];

export const ENVIRONMENT: Pairs = [
  ...Object.values(SETTINGS).map(({ environment, display, description }): [string, string] => [
    environment,
    `${display}: ${description}`,
  ]),
  ['AISEC_PROFILE', 'Section of the settings file, as --profile.'],
  ['AISEC_QUEUE_URL', 'Queue on Redis, as --queue.'],
  ['AISEC_QUEUE_KEY', 'Keys that encrypt the data on the queue: ID:BASE64, several separated by commas.'],
  ['AISEC_MCP_TOKEN', 'Token for aisec mcp --http; without it, each start makes a new token.'],
  ['XDG_CONFIG_HOME, HOME', 'Location of the settings file.'],
  ['XDG_STATE_HOME', 'Location of the history of the war room.'],
  ['HTTPS_PROXY, HTTP_PROXY, NO_PROXY', 'Proxy of the system; used only if AISEC_PROXY is true.'],
  ['NO_COLOR', 'Any value turns colours off.'],
];

export const FILES: Pairs = [
  [
    '$XDG_CONFIG_HOME/aisec/settings.yml',
    'The settings file; by default in ~/.config/aisec, on macOS in ~/Library/Application Support/aisec, on Windows in %APPDATA%\\aisec.',
  ],
  [
    '$XDG_STATE_HOME/aisec/history',
    'The history; by default in ~/.local/state/aisec, on macOS in ~/Library/Application Support/aisec, on Windows in %LOCALAPPDATA%\\aisec.',
  ],
  [
    '$XDG_CACHE_HOME/aisec',
    'What can be removed at any time; by default ~/.cache/aisec, on macOS ~/Library/Caches/aisec, on Windows %LOCALAPPDATA%\\aisec.',
  ],
];
