import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

const schemaFile = new URL(
  '../../../node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json',
  import.meta.url,
);
/** Validates a SARIF log. */
export const sarifSchema = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(
  withoutDraft(JSON.parse(readFileSync(schemaFile, 'utf8'))),
);

/** The schema is of draft 4, which this ajv does not load; beside the name of its id it uses nothing that differs. */
function withoutDraft({ $schema: _draft, id: _id, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return schema;
}
