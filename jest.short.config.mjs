import all from './jest.config.mjs';

/**
 * What `npm test` runs: everything but the files `*.long.test.ts`, which build and install the package, press keys in shells, start
 * processes and kill them, measure growth, or handle large amounts. A run of all tests counts who claims what.
 */
export default {
  ...all,
  reporters: ['default'],
  testMatch: ['<rootDir>/tests/together/*.ts'],
  // All groups at once, on however few cores: a fifth of their time they wait, for limits that pass and for other programs.
  maxWorkers: 4,
};
