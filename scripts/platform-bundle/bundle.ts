/** Makes the native bundle: the text of one function body that runs on the platform's embedded engine, ES5 throughout. */
import { transform } from '@swc/core';
import { type BuildOptions, build } from 'esbuild';
import { licencesOf } from '../licences.ts';
import { madeValidators } from '../validators.ts';
import { checkEs5, OPTIONAL_GLOBALS, REQUIRED_GLOBALS } from './es5-gate.ts';
import { leanDeclarations } from './lean.ts';
import { untagged } from './untagged.ts';

export interface PlatformBundle {
  readonly text: string;
  /** The files that went into it, relative to the project's top. */
  readonly inputs: readonly string[];
}

/** The program: a file that exports `run(globals)`, below the project's top. */
export const ENTRY = 'bin/platform.ts';

/** What this project's code never does, so that lowering need not be ready for it. */
const ASSUMPTIONS = {
  ignoreFunctionLength: true,
  ignoreFunctionName: true,
  noClassCalls: true,
  objectRestNoSymbols: true,
  setClassMethods: true,
  setComputedProperties: true,
  setPublicClassFields: true,
  skipForOfIteratorClosing: true,
};

const PRELUDE = `
import { polyfill } from './lib/hosts/platform/polyfill.ts';
export { SyncPromise } from './lib/hosts/platform/promise.ts';
polyfill();
`;

/**
 * @param root the project's top
 * @throws Error when the result is more than ES5, or uses what an old engine lacks
 */
export async function platformBundle(root: string, entry = ENTRY): Promise<PlatformBundle> {
  const plugins = [await madeValidators(root), leanDeclarations];
  const [prelude, program] = await Promise.all([
    lowered({ absWorkingDir: root, stdin: { contents: PRELUDE, resolveDir: root, loader: 'ts' } }, 'prelude'),
    lowered({ absWorkingDir: root, entryPoints: [entry], plugins }, 'program'),
  ]);
  const inputs = [...prelude.inputs, ...program.inputs];
  const text = head(licencesOf(root, inputs)) + assembled(prelude.text, program.text);
  checkEs5(text);
  return { text, inputs };
}

/** One bundle, as modern code by esbuild and then lowered by swc: esbuild alone cannot go below ES2015. */
async function lowered(source: BuildOptions, globalName: string): Promise<PlatformBundle> {
  const { outputFiles, metafile } = await build({
    ...source,
    bundle: true,
    format: 'iife',
    globalName,
    // Not `node`: whatever reaches for a module of Node's ends the build.
    platform: 'neutral',
    mainFields: ['module', 'main'],
    preserveSymlinks: true,
    target: 'es2022',
    // Ajv looks for them in cases that do not arise here, and the engine has neither.
    define: { console: 'undefined', URL: 'undefined' },
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const { code } = await transform(untagged(outputFiles.map(({ text }) => text).join('')), {
    configFile: false,
    swcrc: false,
    isModule: false,
    minify: true,
    jsc: {
      target: 'es5',
      assumptions: ASSUMPTIONS,
      externalHelpers: false,
      parser: { syntax: 'ecmascript' },
      // The helpers of the lowering stand at the top level, under long names that are used a thousand times.
      minify: {
        compress: true,
        mangle: { toplevel: true, reserved: ['engine', 'prelude', 'program', 'Promise'] },
        format: { asciiOnly: true, comments: false },
      },
    },
  });
  return { text: code, inputs: Object.keys(metafile.inputs) };
}

function head(licences: string): string {
  const text = [
    'AiSec for the script engine of the platform. Built by `npm run build:platform`; not meant to be read or edited.',
    'It contains parts of these packages:',
    licences.replace(/\u00a9/g, '(c)'),
  ];
  return `/*\n${text.join('\n\n').replace(/\*\//g, '* /')}\n*/\n`;
}

/**
 * The function body. `Promise` is shadowed for the program and for what lowering adds to it; see `promise.ts`.
 * What the engine may lack is looked for by `typeof`: to read an absent global is an error.
 */
function assembled(prelude: string, program: string): string {
  const globals = [
    ...REQUIRED_GLOBALS.map((name) => `${name}: ${name}`),
    ...OPTIONAL_GLOBALS.map((name) => `${name}: typeof ${name} === 'function' ? ${name} : undefined`),
  ];
  return [
    'return (function (engine) {',
    prelude,
    'var Promise = prelude.SyncPromise;',
    'return Promise.take((function () {',
    program,
    'return program.run(engine);',
    '})());',
    `})({ ${globals.join(', ')} });`,
    '',
  ].join('\n');
}
