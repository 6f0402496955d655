/** The flags of `aisec topics`. */
import { flag, number, text } from '../../../hosts/terminal/line/options.ts';
import { allowUnknown, prune, section } from '../../../hosts/terminal/line/shared-flags.ts';
import type { SubcommandContext } from '../../../hosts/terminal/line/subcommand.ts';

export const flags = {
  prune,
  allowUnknown,
  topic: text('NAME', 'The custom topic to evaluate.'),
  minF1: number('N', 'Minimum F1 that passes: a share such as 0.9, or a percentage such as 90.', { name: 'min-f1' }),
  minTpr: number('N', 'Minimum true positive rate that passes, of the prompts on the topic.'),
  minTnr: number('N', 'Minimum true negative rate that passes, of the prompts off the topic.'),
  resume: flag('Resume a stopped evaluation of the same prompts, topic and profile.'),
  section,
};

export type TopicsContext = SubcommandContext<typeof flags>;
