import all from './jest.config.mjs';
import { writeSuites } from './tests/support/bundle/setup.mjs';

const short = {
  ...all,
  testMatch: ['<rootDir>/tests/**/!(*.long).test.ts'],
  reporters: ['default', ['<rootDir>/tests/claims-reporter.mjs', { withoutLong: true }]],
  setupFiles: ['<rootDir>/tests/support/short-runs.ts'],
  // More workers than cores, because tests spend a fifth of their time waiting.
  maxWorkers: 4,
};

/** Jest reads the bundles of the suites, which are below `node_modules`, as if they were the test files. */
async function inSuites() {
  const { globalSetup: _, ...settings } = short;
  return {
    ...settings,
    roots: [await writeSuites()],
    haste: { retainAllFiles: true },
    testPathIgnorePatterns: [],
    testMatch: ['**/*.cjs'],
    transform: { ...all.transform, '/tests/[^/]+/[^/]+\\.cjs$': '<rootDir>/tests/support/bundle/transform.cjs' },
  };
}

/**
 * The tests of `npm test`: all files but `*.long.test.ts`, which build and install the package, press keys in shells, start
 * processes and kill them, measure growth, or handle large amounts. Without paths on the command line, the files of a folder run as
 * one suite, which loads their modules once.
 */
export default process.argv.some((word) => word.startsWith('tests')) ? short : inSuites;
