/** Schemas of commands and playbooks. */
import type { JsonSchema } from '../../../manifest/schema.ts';
import { listOf, objectOf, typed } from './parts.ts';

const PLAYBOOK = objectOf(
  {
    name: typed('string', 'Name, by which it can be rehearsed.'),
    title: typed('string', 'Title.'),
    inputs: listOf(
      objectOf({
        name: typed('string', 'Name of the input.'),
        description: typed('string', 'Description of the input.'),
        required: typed('boolean', 'Whether a rehearsal needs the input.'),
      }),
      'Inputs.',
    ),
  },
  'A playbook that ships with the program.',
);

const names = (description: string) => listOf({ type: 'string' }, description);

const COMMAND = objectOf(
  {
    name: typed('string', 'Name of the command.'),
    summary: typed('string', 'Summary of the command.'),
    effect: typed('string', 'Its effect on the tenant.', {
      enum: ['read', 'create', 'update', 'replace', 'delete', 'run'],
    }),
    annotations: objectOf(
      {
        readOnlyHint: typed('boolean', 'It changes nothing at the service.'),
        destructiveHint: typed('boolean', 'It may overwrite or delete what there is.'),
        idempotentHint: typed('boolean', 'Repeating it changes nothing more.'),
        openWorldHint: typed('boolean', 'It reaches a system other than the service.'),
      },
      'Hints for programs that choose commands.',
    ),
    example: typed('string', 'Arguments of an example, as typed in a war room.'),
    rules: names('Conditions that tie arguments together, as sentences.'),
    extensions: names('Arguments beyond the documented interface.'),
    content: names('Arguments whose values are prompts, responses or other content of people.'),
    job: typed('boolean', 'Whether it may start work that continues at the service.'),
    inputSchema: typed('object', 'JSON Schema (2020-12) of its arguments.', { additionalProperties: true }),
    outputSchema: typed('object', 'JSON Schema (2020-12) of its outputs.', { additionalProperties: true }),
  },
  'A command with its schemas.',
);

/** Schemas by name. */
export const CATALOGUE_OBJECTS: Readonly<Record<string, JsonSchema>> = { Command: COMMAND, Playbook: PLAYBOOK };
