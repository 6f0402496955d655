/** The schema of a guardrails file, which editors read from the catalogue. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../../commands/index.ts';
import { findCommand } from '../../../lib/engine/command.ts';
import { guardrailsSchema } from '../../../lib/features/guardrails/schema.ts';
import { withoutOwnKeywords } from '../../../lib/manifest/schema.ts';
import { ROOT } from '../../support/program.ts';

test('the schema of the catalogue is generated from the declarations of the commands', async () => {
  const topic = await findCommand(registry, 'aisec-runtime-topics-create');
  const profile = await findCommand(registry, 'aisec-runtime-profiles-create');
  const made = guardrailsSchema({ topic: topic?.args ?? {}, profile: profile?.args ?? {} });
  const { $schema, ...published } = JSON.parse(readFileSync(join(ROOT, 'catalogue', 'guardrails.schema.json'), 'utf8'));
  expect($schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(JSON.parse(JSON.stringify(withoutOwnKeywords(made)))).toEqual(published);
});
