import './tests/support/environment.mjs';

/** Packages of ES modules, which jest reads as CommonJS: its own support for ES modules is experimental, and slower. */
const ES_MODULES = [
  '@seriousme',
  'ansi-regex',
  'get-east-asian-width',
  'ky',
  'string-width',
  'strip-ansi',
  'yargs-parser',
];

/** Globals that modules get as parameters: a look-up in the context of the test file is slow. No test replaces one of them. */
const BUILT_IN = `
  Array ArrayBuffer BigInt Boolean DataView Date Error Function Int32Array Intl JSON Map Math Number Object Promise Proxy RangeError
  Reflect RegExp Set String Symbol SyntaxError TypeError Uint8Array Uint32Array WeakMap decodeURIComponent encodeURIComponent isFinite
  isNaN parseFloat parseInt`
  .trim()
  .split(/\s+/);

const swc = [
  '@swc/jest',
  { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' }, sourceMaps: 'inline' },
];

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/tests'],
  coverageProvider: 'babel',
  // A busy machine is slow; a test that hangs still ends.
  testTimeout: 240_000,
  // By default, jest leaves one core unused.
  maxWorkers: '100%',
  // Garbage collection of a large heap would distort tests that measure growth.
  workerIdleMemoryLimit: '600MB',
  reporters: ['default', '<rootDir>/tests/claims-reporter.mjs'],
  globalSetup: '<rootDir>/tests/support/bundle/setup.mjs',
  transform: {
    '\\.test\\.ts$': '<rootDir>/tests/support/bundle/transform.cjs',
    '^.+\\.(ts|mjs)$': swc,
    [`/node_modules/(${ES_MODULES.join('|')})/.+\\.js$`]: swc,
  },
  transformIgnorePatterns: [],
  sandboxInjectedGlobals: BUILT_IN,
};
