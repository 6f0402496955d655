/** The functions that check arguments, made beforehand: a module that stands in for `lib/arguments/validators.ts` in what is built. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type standalone from 'ajv/dist/standalone/index.js';
import type { Plugin } from 'esbuild';
import { registry } from '../commands/index.ts';
import { schemaOf } from '../lib/arguments/checks.ts';
import { compiler } from '../lib/arguments/validators.ts';
import type { Schema } from '../lib/arguments/words.ts';

const FUNCTIONS = 'made-validators';

/** @param root the project's top */
export async function madeValidators(root: string): Promise<Plugin> {
  const resolveDir = join(root, 'lib', 'arguments');
  const schemas = await distinctSchemas();
  const functions = functionsOf(schemas);
  const names = Object.fromEntries([...schemas.keys()].map((key, at) => [key, nameOf(at)]));
  const module = `
    import * as functions from '${FUNCTIONS}';
    const names = ${JSON.stringify(names)};
    export function validatorOf(schema) {
      const validate = functions[names[JSON.stringify(schema)]];
      return (value) => (validate(value) ? [] : validate.errors);
    }`;
  return {
    name: FUNCTIONS,
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${FUNCTIONS}$`) }, () => ({ path: FUNCTIONS, namespace: FUNCTIONS }));
      build.onLoad({ filter: /.*/, namespace: FUNCTIONS }, () => ({ contents: functions, resolveDir }));
      build.onLoad({ filter: /lib[/\\]arguments[/\\]validators\.ts$/ }, () => ({ contents: module, resolveDir }));
    },
  };
}

/** Every schema of every command, once, by its own text. */
async function distinctSchemas(): Promise<Map<string, Schema>> {
  const schemas = new Map<string, Schema>();
  for (const load of Object.values(registry)) {
    for (const argument of Object.values((await load()).args)) {
      const schema = schemaOf(argument);
      schemas.set(JSON.stringify(schema), schema);
    }
  }
  return schemas;
}

function functionsOf(schemas: ReadonlyMap<string, Schema>): string {
  const ajv = compiler({ source: true, optimize: 2 });
  const names: Record<string, string> = {};
  for (const [at, schema] of [...schemas.values()].entries()) {
    names[nameOf(at)] = nameOf(at);
    ajv.addSchema(schema, nameOf(at));
  }
  // Its types and what Node makes of the module do not agree on where the default export is.
  const codeOf = createRequire(import.meta.url)('ajv/dist/standalone') as { default: typeof standalone.default };
  return shorter(codeOf.default(ajv, names));
}

const FAILED = `
function failed(failures, instancePath, schemaPath, keyword, params) {
  const failure = { instancePath, schemaPath, keyword, params };
  return failures === null ? [failure] : failures.concat(failure);
}
`;
const SIGNATURE = /\(data, \{instancePath=""[^{}]*(?:\{\}[^{}]*)*\}=\{\}\)\{/g;
const FAILURE =
  /const (err\d+) = \{instancePath(?::([^;]*?))?,schemaPath:("[^"]*"),keyword:("[^"]*"),params:(\{[^;]*?\})\};if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}/g;

/** The same in fewer words: no function is called by another, and all of them note failures alike. */
function shorter(functions: string): string {
  const noted = (_: string, __: string, path = 'instancePath', ...others: string[]) =>
    `vErrors = failed(vErrors, ${[path, ...others.slice(0, 3)].join(', ')});`;
  return functions.replace(SIGNATURE, '(data){const instancePath = "";').replace(FAILURE, noted) + FAILED;
}

function nameOf(at: number): string {
  return `check${at}`;
}
