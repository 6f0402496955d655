/** Tables behind help and the manual page: exit codes, environment, files. */

import { SETTINGS } from '../core/parameters.ts';

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
  ['AISEC_MCP_TOKEN', 'Token of aisec mcp --http; otherwise one is made for each start.'],
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
