/**
 * The one door to ajv: a function for each schema. What is built brings functions that were made beforehand in place of this
 * file (`scripts/validators.ts`): to load ajv and to compile would take longer than the rest of a command, and the platform need
 * not let a script make functions out of text.
 */
import { _, Ajv, type CodeOptions } from 'ajv';
import { utf8Length } from '../text/utf8.ts';
import type { Schema } from './words.ts';

/** What a value fails by; see the documentation of ajv. */
export interface Failure {
  readonly keyword: string;
  /** Where in the value, as a JSON pointer. */
  readonly instancePath: string;
  /** Where in the schema, as a JSON pointer behind a `#`, encoded as part of an address. */
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type Validator = (value: unknown) => readonly Failure[];

/** Ajv as this project uses it. The length of a text in UTF-8 is its own keyword. */
export function compiler(code: CodeOptions = {}): Ajv {
  // Schemas are checked when the project is tested; checking them again here would take longer than everything else.
  const trusted = { meta: false, validateSchema: false, logger: false } as const;
  const ajv = new Ajv({ allErrors: true, messages: false, unicodeRegExp: false, strictTypes: false, code, ...trusted });
  ajv.addKeyword({
    keyword: 'maxBytes',
    type: 'string',
    error: { message: 'too long', params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
    code: (context) => {
      const length = context.gen.scopeValue('func', {
        ref: utf8Length,
        code: _`require('../text/utf8.ts').utf8Length`,
      });
      context.fail(_`${length}(${context.data}) > ${context.schemaCode}`);
    },
  });
  return ajv;
}

let shared: Ajv | undefined;

/** The function for a schema. */
export function validatorOf(schema: Schema): Validator {
  shared ??= compiler({ optimize: false });
  const validate = shared.compile(schema);
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}
