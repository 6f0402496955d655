/**
 * Precompiles the validators of arguments and documents into modules that replace both `validators.ts` files in builds.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type standalone from 'ajv/dist/standalone/index.js';
import type { Plugin } from 'esbuild';
import { registry } from '../commands/index.ts';
import { MAX_PROBLEMS } from '../lib/core/errors.ts';
import type { Schema } from '../lib/runtime/arguments/builders.ts';
import { compiler } from '../lib/runtime/arguments/validators.ts';

const FUNCTIONS = 'precompiled-validators';

/**
 * Creates the esbuild plugin.
 * @param root the project's root
 * @param documents schemas of documents; none for a bundle that reads no documents
 */
export async function precompiledValidators(root: string, documents: readonly Schema[] = []): Promise<Plugin> {
  const modules = {
    'runtime/arguments': moduleOf('runtime/arguments', await argumentSchemas()),
    'node/documents': moduleOf('node/documents', documents),
  };
  return {
    name: FUNCTIONS,
    setup(build) {
      for (const [folder, { functions, validators }] of Object.entries(modules)) {
        const resolveDir = join(root, 'lib', folder);
        const namespace = `${FUNCTIONS}/${folder}`;
        build.onResolve({ filter: new RegExp(`^${namespace}$`) }, () => ({ path: namespace, namespace }));
        build.onLoad({ filter: /.*/, namespace }, () => ({ contents: functions, resolveDir }));
        const replaced = new RegExp(`lib/${folder}/validators\\.ts$`.replaceAll('/', '[/\\\\]'));
        build.onLoad({ filter: replaced }, () => ({ contents: validators, resolveDir }));
      }
    },
  };
}

/** Creates the sources of two modules: the compiled functions, and the lookup of a schema's function. */
function moduleOf(folder: string, all: readonly Schema[]): { functions: string; validators: string } {
  const schemas = new Map(all.map((schema) => [JSON.stringify(schema), schema] as const));
  const names = Object.fromEntries([...schemas.keys()].map((key, at) => [key, nameOf(at)]));
  const validators = `
    import * as functions from '${FUNCTIONS}/${folder}';
    const names = ${JSON.stringify(names)};
    export function validatorOf(schema) {
      const validate = functions[names[JSON.stringify(schema)]];
      return (value) => {
        try {
          return validate(value) ? [] : validate.errors;
        } catch (thrown) {
          if (Array.isArray(thrown)) return thrown;
          throw thrown;
        }
      };
    }`;
  return { functions: functionsOf([...schemas.values()]), validators };
}

/** Collects the schemas of all commands. */
async function argumentSchemas(): Promise<Schema[]> {
  const schemas: Schema[] = [];
  // One after the other: jest cannot link modules that are imported at the same time.
  for (const load of Object.values(registry)) {
    for (const argument of Object.values((await load()).args)) schemas.push(argument.schema);
  }
  return schemas;
}

function functionsOf(schemas: readonly Schema[]): string {
  const ajv = compiler({ source: true, optimize: 2 });
  const names: Record<string, string> = {};
  if (/"(?:anyOf|oneOf|not|if)":/.test(JSON.stringify(schemas))) throw new Error('A schema has alternatives.');
  for (const [at, schema] of schemas.entries()) {
    names[nameOf(at)] = nameOf(at);
    ajv.addSchema(schema, nameOf(at));
  }
  // Ajv's types and Node disagree on the default export of this module.
  const codeOf = createRequire(import.meta.url)('ajv/dist/standalone') as { default: typeof standalone.default };
  return shorter(codeOf.default(ajv, names));
}

// Stops at the first failures once there are enough; no schema has alternatives, so no failure is withdrawn later.
const FAILED = `
function failed(failures, instancePath, schemaPath, keyword, params) {
  const all = failures === null ? [] : failures;
  all.push({ instancePath, schemaPath, keyword, params });
  if (all.length >= ${MAX_PROBLEMS}) throw all;
  return all;
}
`;
const SIGNATURE = /\(data, \{instancePath=""[^{}]*(?:\{\}[^{}]*)*\}=\{\}\)\{/g;
const FAILURE =
  /const (err\d+) = \{instancePath(?::([^;]*?))?,schemaPath:("[^"]*"),keyword:("[^"]*"),params:(\{[^;]*?\})\};if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}/g;

/** Shortens the generated code: simpler signatures, and one helper to record failures. */
function shorter(functions: string): string {
  const recorded = (_: string, __: string, path = 'instancePath', ...others: string[]) =>
    `vErrors = failed(vErrors, ${[path, ...others.slice(0, 3)].join(', ')});`;
  return functions.replace(SIGNATURE, '(data){const instancePath = "";').replace(FAILURE, recorded) + FAILED;
}

function nameOf(at: number): string {
  return `check${at}`;
}
