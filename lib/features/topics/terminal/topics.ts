import { UsageError } from '../../../core/errors.ts';
import { optionName } from '../../../hosts/terminal/line/options.ts';
import { type Subcommand, usageError } from '../../../hosts/terminal/line/subcommand.ts';
import { flags, type TopicsContext } from './flags.ts';

const DIFF = 'topics diff FILE [--prune] [--allow-unknown] [--exit-code]';
const USAGE = 'topics diff FILE | eval FILE --topic NAME [--profile NAME]';
const EVAL = 'topics eval FILE --topic NAME [--profile NAME] [--min-f1 N] [--min-tpr N] [--min-tnr N] [--resume]';

/** `aisec topics`: compares the custom topics of a file with the tenant, or measures a topic with labelled prompts. */
export const topics: Subcommand<typeof flags> = {
  usage: USAGE,
  summary: 'Compare custom topics with a file, or measure a topic with labelled prompts.',
  words: 2,
  flags,
  decides: ({ minF1, minTpr, minTnr }) => [minF1, minTpr, minTnr].some((limit) => limit !== undefined),
  dryRun: ({ words }) => (words[0] === 'eval' ? 'honours' : 'reads'),
  inRoom: { usage: 'topics diff FILE', summary: 'Compare topics with those of a file.', isAlias: true },
  completes: ({ length }) => (length === 0 ? ['diff', 'eval'] : length === 1 ? 'paths' : []),
  run: async (cli) => {
    const [what, file = ''] = cli.words;
    checkOptions(what, cli);
    if (what === 'eval') {
      if (file === '') throw usageError('aisec topics eval needs a file of labelled prompts.', EVAL);
      return (await import('./evaluate.ts')).evaluateTopic(file, cli, EVAL);
    }
    if (what !== 'diff')
      throw usageError('aisec topics compares a file (diff FILE) or measures a topic (eval FILE).', USAGE);
    const { diff } = await import('../../guardrails/terminal/plan/plan.ts');
    return diff(cli.words[1], DIFF, cli, ['topic']);
  },
};

/** Options that belong to one of the two actions; the other would ignore them. */
const OWN = {
  diff: ['prune', 'allowUnknown'],
  eval: ['topic', 'minF1', 'minTpr', 'minTnr', 'resume', 'section'],
} as const;

function checkOptions(what: string | undefined, { options }: TopicsContext): void {
  for (const [owner, names] of Object.entries(OWN)) {
    const stray =
      what === owner ? undefined : names.find((name) => options[name] !== undefined && options[name] !== false);
    if (stray === undefined) continue;
    throw new UsageError(`Option --${optionName(stray, flags[stray])} belongs to: aisec topics ${owner}.`);
  }
}
