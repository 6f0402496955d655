/**
 * Command metadata without handlers: the source of help, completion, the command reference and `integration.yml`. It is
 * plain data, written by the build.
 */
import type { Kind, Lookup } from '../arguments/builders.ts';
import type { Effect } from '../engine/command.ts';
import type { FieldType } from '../output/record.ts';

export interface ArgumentInfo {
  readonly name: string;
  readonly kind: Kind;
  readonly description: string;
  readonly required: boolean;
  /** Outside of the manifest, not required where this other argument is given. */
  readonly unless?: string;
  readonly default?: string;
  /** The only valid values. */
  readonly choices?: readonly string[];
  /** Suggested values; others are valid too. */
  readonly hints?: readonly string[];
  readonly secret: boolean;
  /** A prompt, response or other content of people; the history masks it. */
  readonly content: boolean;
  readonly extension: boolean;
  readonly clearable: boolean;
  readonly positional: boolean;
  /** Hidden in the manifest. */
  readonly withoutEffectOnPlatform?: boolean;
  /** Source of the tenant's known values. */
  readonly lookup?: Lookup;
}

export interface OutputInfo {
  /** Full context path, such as `AiSec.Topic.topic_id`. */
  readonly path: string;
  readonly type: FieldType;
  /** Holds a date, whatever the type of the value. */
  readonly isDate?: true;
  readonly description: string;
}

export interface CommandInfo {
  readonly name: string;
  readonly summary: string;
  readonly effect: Effect;
  /** Reaches a system other than the service. */
  readonly outside: boolean;
  readonly repeatable: boolean;
  /** Arguments of an example, as typed. */
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
