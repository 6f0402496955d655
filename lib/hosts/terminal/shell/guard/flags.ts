/** The usage and flags of `aisec guard`. */
import { flag, number, text } from '../../line/options.ts';
import { section } from '../../line/shared-flags.ts';
import type { SubcommandContext } from '../../line/subcommand.ts';

export const USAGE = 'guard --profile NAME [--prompt | --tool SERVER/TOOL [--result]]';

export const flags = {
  prompt: flag('Standard input is a prompt: it passes as a whole, or not at all.'),
  tool: text('SERVER/TOOL', 'Standard input is the JSON input of this tool call.'),
  result: flag('With --tool: standard input is the result of the call.'),
  mask: flag('Let text pass with masks where sensitive data is all that was found.'),
  onError: text('ACTION', 'Without a complete verdict: block or allow. The default is block.', {
    choices: ['block', 'allow'],
  }),
  window: text('FIRST,MAX,OVERLAP', 'Sizes of the scanned windows, in characters. The default is 200,1600,80.'),
  holdAll: flag('Hold everything until the end.'),
  pauseSeconds: number(
    'SECONDS',
    'Let complete lines pass when the writer pauses this long; 0 waits for a full window. The default is 1.',
    { name: 'pause', isTimeLimit: true },
  ),
  sessionId: text('ID', 'Groups the turns of one conversation at the service.'),
  transactionId: text('ID', 'Names one turn at the service.'),
  appUser: text('NAME', 'The user of the application, for the log of the service.'),
  aiModel: text('NAME', 'The model that writes or is asked, for the log of the service.'),
  section,
};

export type GuardCommand = SubcommandContext<typeof flags>;
