import { UsageError } from '../../../core/errors.ts';
import { optionName } from '../../../hosts/terminal/line/options.ts';
import { type Subcommand, usageError } from '../../../hosts/terminal/line/subcommand.ts';
import { type Shell, subcommandLine } from '../../../hosts/terminal/ui/shell.ts';
import { flags, type GateContext, type GateOptions, gateFiles, typedAgain } from './flags.ts';

const USAGE = 'gate model SCAN_UUID | bulk FILE.jsonl... | redteam JOB_ID';

/** `aisec gate`: fetches a result, decides whether a build passes, and writes the verdict for people and programs. */
export const gate: Subcommand<typeof flags> = {
  usage: USAGE,
  summary: 'Fail a build on a model, prompts or a red-team result.',
  everyday: true,
  words: Number.POSITIVE_INFINITY,
  flags,
  decides: () => true,
  dryRun: ({ options }) => {
    const startsScan = options.scan !== undefined || options.start !== undefined;
    return startsScan || gateFiles(options).length > 0 ? 'honours' : 'reads';
  },
  inRoom: { usage: 'gate KIND RESULT', summary: 'Would a model, bulk or redteam result pass a build?' },
  completes: ([kind, ...more]) => {
    if (kind === undefined) return ['model', 'bulk', 'redteam'];
    if (more.length > 0) return [];
    return kind === 'bulk' ? 'paths' : kind === 'model' ? 'model scans' : 'red-team scans';
  },
  run: async (cli) => {
    if (cli.options.annotations) cli.screen.disarm();
    checkLine(cli);
    return (await import('./run-gate.ts')).runGate(cli);
  },
};

/** Options that belong to one gate; any other gate would ignore them. */
const OWN = {
  redteam: ['maxAsr', 'failOn', 'baseline', 'start'],
  model: ['scan', 'securityGroup'],
  bulk: ['csv', 'promptColumn'],
} as const;

function checkLine({ words, options, screen }: GateContext): void {
  const [kind = '', subject] = words;
  if (!['model', 'bulk', 'redteam'].includes(kind) && kind !== '')
    throw usageError(`Unknown gate "${kind.slice(0, 40)}".`, USAGE);
  if (subject === undefined && options.scan === undefined && options.start === undefined)
    throw usageError('aisec gate needs a model scan, a bulk scan or a red-team scan.', USAGE);
  for (const [owner, names] of Object.entries(OWN)) {
    const stray = kind === owner ? undefined : names.find((name) => options[name] !== undefined);
    if (stray === undefined) continue;
    throw new UsageError(`Option --${optionName(stray, flags[stray])} belongs to: aisec gate ${owner}.`);
  }
  if (options.scan !== undefined && options.securityGroup === undefined)
    throw new UsageError('Option --scan needs --security-group NAME.');
  if (options.scan !== undefined && subject !== undefined)
    throw new UsageError('Give a scan, or --scan URI to start one, not both.');
  checkSubjects(words, options, screen.shell);
}

/** Options that would also apply to another gate on the same line. */
const SHARED = ['policy', 'maxAsr', 'failOn', 'baseline'] as const;

/** Refuses arguments that a gate would ignore: only a bulk gate judges several results. @throws UsageError */
function checkSubjects(words: readonly string[], options: GateOptions, shell: Shell): void {
  const [kind = '', ...subjects] = words;
  if (kind === 'bulk') {
    if (subjects.length > 1 && options.csv !== undefined)
      throw new UsageError('Option --csv locates the prompts of one file, and there are several.', {
        hint: 'Gate each file with the table of its prompts.',
      });
    return;
  }
  // With --start, the other words are arguments of the scan.
  if (subjects.length < 2 || options.start !== undefined) return;
  const more = typedAgain(SHARED, options, flags);
  const lines = subjects.map((subject) => subcommandLine(['gate', kind, subject, ...more], shell));
  throw new UsageError(`aisec gate ${kind} judges one scan, and there are ${subjects.length}.`, {
    hint: `Run: ${lines.join(' && ')}`,
  });
}
