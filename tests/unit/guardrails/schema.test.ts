/** The schema of a guardrails file, which editors read from the catalogue. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../../commands/index.ts';
import { findCommand } from '../../../lib/engine/command.ts';
import { DECLARING, guardrailsSchema } from '../../../lib/features/guardrails/schema.ts';
import { withoutOwnKeywords } from '../../../lib/manifest/schema.ts';
import { ROOT } from '../../support/program.ts';

test('the schema of the catalogue is generated from the declarations of the commands', async () => {
  const args = await Promise.all(
    Object.entries(DECLARING).map(async ([name, command]) => [
      name,
      (await findCommand(registry, command))?.args ?? {},
    ]),
  );
  const made = guardrailsSchema(Object.fromEntries(args));
  const { $schema, ...published } = JSON.parse(readFileSync(join(ROOT, 'catalogue', 'guardrails.schema.json'), 'utf8'));
  expect($schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(JSON.parse(JSON.stringify(withoutOwnKeywords(made)))).toEqual(published);
});
