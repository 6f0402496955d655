import all from './jest.config.mjs';

/**
 * The tests of `npm test`: all files but `*.long.test.ts`, which build and install the package, press keys in shells, start
 * processes and kill them, measure growth, or handle large amounts.
 */
export default {
  ...all,
  reporters: ['default', ['<rootDir>/tests/claims-reporter.mjs', { withoutLong: true }]],
  setupFiles: ['<rootDir>/tests/support/short-runs.ts'],
  testMatch: ['<rootDir>/tests/**/!(*.long).test.ts'],
  // More workers than cores, because tests spend a fifth of their time waiting.
  maxWorkers: 4,
};
