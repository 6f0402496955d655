/**
 * Command metadata without handlers: the source of help, completion, the command reference and `integration.yml`. It is
 * plain data, written by the build.
 */
import type { describe } from './describe.ts';

export type CommandInfo = Readonly<ReturnType<typeof describe>>;
export type ArgumentInfo = CommandInfo['arguments'][number];
export type Catalogue = readonly CommandInfo[];
