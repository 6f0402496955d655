/** Flags that several subcommands share, each declared once. */
import { flag, number, text } from './options.ts';
import type { SubcommandContext } from './subcommand.ts';

/** Flags of servers. */
export const port = number('N', 'Port to listen on; 0 picks a free one.', { largest: 65_535 });
export const host = text('ADDRESS', 'Address to listen on. The default is 127.0.0.1, which only this machine reaches.');
export const toolsets = text(
  'NAMES',
  'Only these commands, by their families: runtime, dlp, red-team, model-security, all.',
);

/** Flags of `aisec serve` and its workers. */
export const audit = text('FILE', 'Append lines for each call to this file.');
export const strict = flag(
  'Refuse a Redis that may forget runs because it has no append-only file, or because it evicts keys.',
);
export const graceSeconds = number(
  'SECONDS',
  'Time for running work after the signal that ends it. The default is 30.',
  {
    name: 'grace',
    isTimeLimit: true,
  },
);

/** Flags of plans. */
export const prune = flag('Also delete topics and profiles missing from the file, of the kinds that it lists.');
export const allowUnknown = flag('Send detectors, actions and members of a policy that this version does not know.');

/** Flags of pages. */
const html = text('FILE', 'Write the page to this file.');
const open = flag('Open the page in the browser. Without --html, it is written to a temporary folder.');
export const pageFlags = { html, open };
export type PageContext = SubcommandContext<typeof pageFlags>;

/** Flag for subcommands in which `--profile` is a security profile. */
export const section = text('NAME', 'Section of the settings file; elsewhere this is --profile.');

/** Flags of exports. */
export const only = text('KINDS', 'Only these kinds, separated by commas: topics, profiles, dlp, targets.');
export const force = flag('Write over an existing file.');
