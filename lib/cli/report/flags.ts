/** The flags of `aisec report`. */
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';
import { html, open } from '../flags.ts';

export const flags = { html, open };

export type ReportContext = SubcommandContext<typeof flags>;
