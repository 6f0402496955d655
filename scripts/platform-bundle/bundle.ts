/** Builds the native bundle: the text of one ES5 function body for the platform's embedded engine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from '@swc/core';
import { type BuildOptions, build } from 'esbuild';
import { licencesOf } from '../bundled-packages.ts';
import { precompiledValidators } from '../validators.ts';
import { checkEs5, OPTIONAL_GLOBALS, REQUIRED_GLOBALS } from './es5-gate.ts';
import { lowerLoops, lowerTemplates } from './lower.ts';
import { stripDescriptions } from './strip-descriptions.ts';

interface Manifest {
  readonly version: string;
  /** The URL of the source, if the package names it. */
  readonly homepage?: string;
}

export interface PlatformBundle {
  readonly text: string;
  /** Source files, relative to the project's root. */
  readonly inputs: readonly string[];
}

/** The entry point, which exports `run(globals)`. */
const ENTRY = 'bin/platform.ts';

/** Properties of this project's code that simplify the lowered output. */
const ASSUMPTIONS = {
  ignoreFunctionLength: true,
  ignoreFunctionName: true,
  noClassCalls: true,
  objectRestNoSymbols: true,
  setClassMethods: true,
  setComputedProperties: true,
  setPublicClassFields: true,
};

const MINIFIED = {
  compress: true,
  mangle: { toplevel: true, reserved: ['engine', 'prelude', 'program', 'Promise'] },
  format: { asciiOnly: true, comments: false as const },
};

const PRELUDE = `
import { polyfill } from './lib/hosts/platform/polyfill.ts';
export { SyncPromise } from './lib/hosts/platform/promise.ts';
polyfill();
`;

export interface BundleOptions {
  /** Keeps lines and names, for reviewers of a pack. */
  readonly isReadable?: boolean;
}

/**
 * Builds the bundle.
 * @param root the project's root
 * @throws Error if the result is not ES5, or uses library functions that old engines lack
 */
export async function platformBundle(
  root: string,
  { isReadable = false }: BundleOptions = {},
): Promise<PlatformBundle> {
  const plugins = [await precompiledValidators(root), stripDescriptions];
  const [prelude, program] = await Promise.all([
    lowered(
      { absWorkingDir: root, stdin: { contents: PRELUDE, resolveDir: root, loader: 'ts' } },
      'prelude',
      isReadable,
    ),
    lowered({ absWorkingDir: root, entryPoints: [ENTRY], plugins }, 'program', isReadable),
  ]);
  const inputs = [...prelude.inputs, ...program.inputs];
  const text = head(root, licencesOf(root, inputs)) + assembled(prelude.text, program.text);
  checkEs5(text);
  return { text, inputs };
}

/** Bundles with esbuild and lowers with swc, because esbuild cannot target ES5. */
async function lowered(source: BuildOptions, globalName: string, isReadable: boolean): Promise<PlatformBundle> {
  const { outputFiles, metafile } = await build({
    ...source,
    bundle: true,
    format: 'iife',
    globalName,
    // Not `node`, so that an import of a Node module fails the build.
    platform: 'neutral',
    mainFields: ['module', 'main'],
    preserveSymlinks: true,
    target: 'es2022',
    // Ajv refers to them in unused branches, and the engine does not have them.
    define: { console: 'undefined', URL: 'undefined' },
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const { code } = await transform(lowerLoops(lowerTemplates(outputFiles.map(({ text }) => text).join(''))), {
    configFile: false,
    swcrc: false,
    isModule: false,
    minify: !isReadable,
    // Symbols are native in the engine, so `typeof` works unchanged; its lowered form is slow.
    env: { targets: { ie: '9' }, exclude: ['transform-typeof-symbol'] },
    jsc: {
      assumptions: ASSUMPTIONS,
      externalHelpers: false,
      parser: { syntax: 'ecmascript' },
      output: { charset: 'ascii' },
      // swc's helpers are top-level functions with long names and many uses, so top-level names are mangled.
      ...(isReadable ? {} : { minify: MINIFIED }),
    },
  });
  return { text: code, inputs: Object.keys(metafile.inputs) };
}

function head(root: string, licences: string): string {
  const { version, homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const source = `${ENTRY} of aisec ${version}${homepage === undefined ? '' : `, ${homepage}`}`;
  const text = [
    `AiSec for the script engine of the platform. Built by \`npm run build:platform\` from ${source}; not meant to be edited.`,
    'It contains parts of these packages:',
    licences.replace(/\u00a9/g, '(c)'),
  ];
  return `/*\n${text.join('\n\n').replace(/\*\//g, '* /')}\n*/\n`;
}

/**
 * Assembles the function body. `Promise` is shadowed for the program and swc's helpers; see `promise.ts`.
 * Optional globals are read with `typeof`, because reading an absent global is an error.
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
