/** The flags of `aisec gate`. */
import { flag, number, type Option, optionName, text } from '../../../hosts/terminal/line/options.ts';
import type { SubcommandContext } from '../../../hosts/terminal/line/subcommand.ts';

export const flags = {
  maxAsr: number('N', 'Maximum attack success rate that passes, in percent.', { isPercent: true }),
  failOn: text('SEVERITY', 'Fail on a successful attack of this severity or a higher one.', {
    choices: ['critical', 'high', 'medium', 'low'],
  }),
  baseline: text('JOB_ID', 'Fail only on successful attacks that are new since this red-team scan.'),
  policy: text('FILE', 'Limits, and findings that are accepted until a date; see docs/pipelines.md.'),
  scan: text('URI', 'Scan this model first.'),
  securityGroup: text('NAME', 'The security group whose rules a model is scanned against, by name or id.'),
  start: text(
    'TARGET',
    'Start a red-team scan of this target first; other words are its arguments, such as job_type=STATIC.',
  ),
  wait: flag('Wait for the scan that was started, and decide.'),
  csv: text('FILE', 'The file whose prompts were scanned: findings point to its lines.'),
  promptColumn: text('NAME', 'Header of its column with the prompts. The default is prompt.'),
  sarif: text('FILE', 'Write the findings as SARIF 2.1.0.'),
  omitAccepted: flag(
    'Leave accepted findings out of the SARIF file, for services that ignore suppressions, such as GitHub.',
  ),
  junit: text('FILE', 'Write the verdict as JUnit XML.'),
  codeQuality: text('FILE', 'Write the findings as a code-quality report, as GitLab reads it.'),
  summary: text('FILE', 'Write the verdict as a page of markdown, such as $GITHUB_STEP_SUMMARY.'),
  annotations: flag('Write workflow commands to stderr, which GitHub Actions shows next to the code.'),
};

/** The flags that decide on a red-team scan, and write the verdict. */
export const redTeamFlags = {
  maxAsr: flags.maxAsr,
  failOn: flags.failOn,
  baseline: flags.baseline,
  policy: flags.policy,
  sarif: flags.sarif,
  omitAccepted: flags.omitAccepted,
  junit: flags.junit,
  codeQuality: flags.codeQuality,
  summary: flags.summary,
  annotations: flags.annotations,
};

export type GateContext = SubcommandContext<typeof flags>;
export type GateOptions = GateContext['options'];

/** Flags for the files that the gate writes, in order. */
const FILES = ['sarif', 'junit', 'summary', 'codeQuality'] as const;

/** Lists the files that the options ask for. */
export function gateFiles(options: Pick<GateOptions, (typeof FILES)[number]>) {
  return FILES.flatMap((kind) => {
    const file = options[kind];
    return file === undefined ? [] : [{ kind, file }];
  });
}

/** Writes options as the user typed them, for a hint that quotes them. @param known the declarations of the options */
export function typedAgain<Name extends string>(
  names: readonly Name[],
  options: Readonly<Record<Name, unknown>>,
  known: Readonly<Record<Name, Option>>,
): string[] {
  return names.flatMap((name) => {
    const value = options[name];
    if (value === undefined || value === false) return [];
    const option = `--${optionName(name, known[name])}`;
    return value === true ? [option] : [option, String(value)];
  });
}
