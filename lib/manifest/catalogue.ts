/**
 * What is known of a command without loading its handler: help, completion, the command reference and `integration.yml`
 * are made from it. It is plain data, written when the program is built.
 */

import type { Kind } from '../arguments/words.ts';
import type { Effect } from '../command.ts';
import type { FieldType } from '../output/record.ts';

export interface ArgumentInfo {
  readonly name: string;
  readonly kind: Kind;
  readonly description: string;
  readonly required: boolean;
  readonly default?: string;
  /** Closed: anything else is refused. */
  readonly choices?: readonly string[];
  /** Open: offered, not enforced. */
  readonly hints?: readonly string[];
  readonly secret: boolean;
  /** The words of people: kept out of history. */
  readonly content: boolean;
  readonly extension: boolean;
  readonly clearable: boolean;
  readonly positional: boolean;
}

export interface OutputInfo {
  /** Full context path, such as `AiSec.Topic.topic_id`. */
  readonly path: string;
  readonly type: FieldType;
  readonly description: string;
}

export interface CommandInfo {
  readonly name: string;
  readonly summary: string;
  readonly effect: Effect;
  /** Reaches a system other than the service. */
  readonly outside: boolean;
  readonly repeatable: boolean;
  /** The example's arguments as they are typed; the command's name is not repeated. */
  readonly example: string;
  /** Conditions that tie arguments together, as sentences. */
  readonly rules: readonly string[];
  readonly arguments: readonly ArgumentInfo[];
  /** Its work may go on after its answer. */
  readonly job: boolean;
  /** Such as `AiSec.Topic`. */
  readonly context: string;
  readonly outputs: readonly OutputInfo[];
}

export type Catalogue = readonly CommandInfo[];
