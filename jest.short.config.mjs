import all from './jest.config.mjs';

/**
 * What `npm test` runs: everything but the files `*.long.test.ts`, which build and install the package, press keys in shells, start
 * processes and kill them, measure growth, or handle large amounts.
 */
export default {
  ...all,
  reporters: ['default', ['<rootDir>/tests/claims-reporter.mjs', { withoutLong: true }]],
  setupFiles: ['<rootDir>/tests/support/short-runs.ts'],
  testMatch: ['<rootDir>/tests/**/!(*.long).test.ts'],
  // On however few cores: a fifth of their time tests wait, for limits that pass and for other programs.
  maxWorkers: 4,
};
