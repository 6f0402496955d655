/** The words in which the specification is transcribed: nothing here knows how the runtime declares a command. */

export type ContextType = 'String' | 'Number' | 'Boolean' | 'Date' | 'Unknown';

/** Types of the fields of a context path, by name. A dotted name is a nested field, the empty one the path itself. */
export type ContractFields = Readonly<Record<string, ContextType>>;

export interface ContractArgument {
  name: string;
  required?: true;
  /** The text the platform fills in when the argument is not given. */
  default?: string;
  /** The allowed values, where the list is closed; an open list is left out. */
  choices?: readonly string[];
  kind?: 'boolean' | 'number' | 'list' | 'json' | 'file';
  /** The text `null` clears the field. */
  clears?: true;
}

export interface ContractCommand {
  command: string;
  arguments: readonly ContractArgument[];
  /** Arguments beyond the specification that the command may have; they are never required. */
  extensions?: readonly ContractArgument[];
  /** Context path of the result, for example `AiSec.Topic`; empty if the command writes no context. */
  context: string;
  outputs: ContractFields;
  /** Fields beyond the specification that the result may have, with any members. */
  outputExtensions?: readonly string[];
  /** Further output at the end of a job, as an extension: context path and fields. */
  atEnd?: { context: string; outputs: ContractFields };
}

/** One parameter of the integration's configuration, by its neutral display text. */
export interface ContractParameter {
  display: string;
  required: boolean;
  /** Parameter type of the platform: 8 is a checkbox, 9 a pair of credentials. */
  type?: 8 | 9;
}
