/**
 * Command metadata without handlers: the source of help, completion, the command reference and `integration.yml`. It is
 * plain data, written by the build.
 */
import type { Argument } from '../arguments/builders.ts';
import type { Command } from '../engine/command.ts';
import type { FieldType } from '../output/record.ts';

type Mark = 'required' | 'secret' | 'content' | 'extension' | 'clearable' | 'positional';
type Kept = 'kind' | 'description' | 'unless' | 'default' | 'choices' | 'hints' | 'withoutEffectOnPlatform' | 'lookup';

export interface ArgumentInfo extends Readonly<Pick<Argument, Kept>>, Readonly<Record<Mark, boolean>> {
  readonly name: string;
}

export interface OutputInfo {
  /** Full context path, such as `AiSec.Topic.topic_id`. */
  readonly path: string;
  readonly type: FieldType;
  /** Holds a date, whatever the type of the value. */
  readonly isDate?: true;
  readonly description: string;
}

export interface CommandInfo extends Pick<Command, 'name' | 'summary' | 'effect'> {
  /** Reaches a system other than the service. */
  readonly outside: boolean;
  readonly repeatable: boolean;
  /** Arguments of an example, as typed in a war room. */
  readonly example: string;
  /** Conditions that tie arguments together, as sentences. */
  readonly rules: readonly string[];
  readonly arguments: readonly ArgumentInfo[];
  /** May start work that continues at the service. */
  readonly job: boolean;
  /** Such as `AiSec.Topic`. */
  readonly context: string;
  readonly outputs: readonly OutputInfo[];
}

export type Catalogue = readonly CommandInfo[];
