import './tests/support/environment.mjs';

/** Packages of ES modules, which Jest reads as CommonJS like everything else: its own ES modules are an experiment, and slower. */
const ES_MODULES = [
  '@seriousme',
  'ansi-regex',
  'get-east-asian-width',
  'ky',
  'string-width',
  'strip-ansi',
  'yargs-parser',
];

/**
 * What every module has at hand without a look into the context of its test file, which is slow: a quarter of the time of a test went
 * into it. No test replaces one of these.
 */
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
  // What takes long does so on a busy machine; what hangs is ended all the same.
  testTimeout: 240_000,
  // Jest would leave one core to somebody who watches.
  maxWorkers: '100%',
  // A worker with a large heap would collect garbage in the time that growth is measured by.
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
