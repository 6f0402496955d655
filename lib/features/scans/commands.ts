/** The one place from which features run commands: names, arguments and outputs have the generated types. */
import type { AisecCommands } from '../../../catalogue/commands.ts';
import type { CommandOutput, RunCommand } from '../../runtime/engine/command-port.ts';

export type CommandName = keyof AisecCommands;
export type ArgumentsOf<N extends CommandName> = AisecCommands[N]['args'];

type Outputs<N extends CommandName> = AisecCommands[N]['outputs'];
type Row<Value> = Value extends readonly (infer Each)[] ? Each : NonNullable<Value>;
type Optional<Value> = { readonly [Member in keyof Value]?: Value[Member] | undefined };

/** The record of a command, or a row of its list. */
export type RecordOf<N extends CommandName> = N extends CommandName
  ? Optional<Row<Outputs<N>[keyof Outputs<N>]>>
  : never;

export interface OutputOf<N extends CommandName> extends Omit<CommandOutput, 'record' | 'records'> {
  readonly record: RecordOf<N>;
  readonly records: readonly RecordOf<N>[];
}

export type RedTeamScan = RecordOf<'aisec-redteam-scan-get'>;
export type RedTeamReport = RecordOf<'aisec-redteam-report-get'>;
export type ModelScan = RecordOf<'aisec-model-security-scans-get'>;

/** Runs a command. @throws AisecError of any kind */
export async function runCommand<N extends CommandName>(
  run: RunCommand,
  command: N,
  args: ArgumentsOf<N>,
): Promise<OutputOf<N>> {
  const texts = Object.entries(args).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  // `shape()` of lib/runtime/output checks every declared member against its type; the response itself is read by `received.ts` of the engine.
  return (await run(command, Object.fromEntries(texts))) as OutputOf<N>;
}
