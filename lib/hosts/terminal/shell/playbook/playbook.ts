import { flag, texts } from '../../line/options.ts';
import { type Subcommand, usageError } from '../../line/subcommand.ts';

const USAGE = 'playbook FILE [--input NAME=VALUE ...] [--check] [--trace]';

const flags = {
  inputs: texts('NAME=VALUE', 'An input of the playbook; may be repeated.', { name: 'input' }),
  check: flag('Validate the playbook and run nothing; the exit code is 0 or 2.'),
  trace: flag('Show inputs, comparisons and outputs of each task; secrets are hidden.'),
};

/** `aisec playbook`: rehearses a playbook of the platform task by task, checks it, or writes a new one. */
export const playbook: Subcommand<typeof flags> = {
  usage: `${USAGE} | new NAME`,
  summary: 'Rehearse a playbook of the platform task by task, check it, or write a new one.',
  words: 2,
  flags,
  dryRun: ({ options }) => (options.check ? 'reads' : 'honours'),
  completes: ({ length }) => (length === 0 ? 'paths' : []),
  run: async (cli) => {
    const { options, words } = cli;
    const [first = '', second] = words;
    if (first === 'new') {
      if (second === undefined) throw usageError('aisec playbook new needs a name.', 'playbook new NAME');
      return (await import('./new.ts')).newPlaybook(second, cli);
    }
    if (second !== undefined) throw usageError('aisec playbook takes one file.', USAGE);
    if (first === '') throw usageError('aisec playbook needs a file.', USAGE);
    const { checkPlaybook, rehearseFile } = await import('./rehearse-file.ts');
    return options.check ? checkPlaybook(first, options, cli) : rehearseFile(first, options, cli);
  },
};
