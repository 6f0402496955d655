/**
 * Compiles a validator for each schema. The only importer of ajv. The build replaces this file with precompiled
 * validators (`scripts/validators.ts`): loading ajv and compiling takes longer than the rest of a command, and the
 * platform may not let a script create functions from text.
 */
import { _, Ajv, type CodeOptions } from 'ajv';
import { MAX_PROBLEMS } from '../../core/errors.ts';
import { utf8Length } from '../../core/text/utf8.ts';
import type { Schema } from './builders.ts';

/** One reason why a value is invalid; see the documentation of ajv. */
export interface Failure {
  readonly keyword: string;
  /** JSON pointer into the value. */
  readonly instancePath: string;
  /** JSON pointer into the schema, after a `#` and URI-encoded. */
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type Validator = (value: unknown) => readonly Failure[];

/** Creates ajv with the options of this project and the keyword `maxBytes`. */
export function compiler(code: CodeOptions = {}): Ajv {
  // The tests check the schemas; checking them here would take longer than everything else.
  const trusted = { meta: false, validateSchema: false, logger: false } as const;
  const ajv = new Ajv({ allErrors: true, messages: false, unicodeRegExp: false, strictTypes: false, code, ...trusted });
  ajv.addKeyword({
    keyword: 'maxBytes',
    type: 'string',
    error: { message: 'too long', params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
    code: (context) => {
      const length = context.gen.scopeValue('func', {
        ref: utf8Length,
        code: _`require('../../core/text/utf8.ts').utf8Length`,
      });
      context.fail(_`${length}(${context.data}) > ${context.schemaCode}`);
    },
  });
  return ajv;
}

let shared: Ajv | undefined;

/** Compiles a schema. The validator returns the first hundred failures; a precompiled validator also stops there. */
export function validatorOf(schema: Schema): Validator {
  shared ??= compiler({ optimize: false });
  const validate = shared.compile(schema);
  return (value) => (validate(value) ? [] : (validate.errors ?? []).slice(0, MAX_PROBLEMS));
}
