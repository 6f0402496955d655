import './tests/support/environment.mjs';

export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  roots: ['<rootDir>/tests'],
  coverageProvider: 'babel',
  // What takes long does so on a busy machine; what hangs is ended all the same.
  testTimeout: 240_000,
  // Jest would leave one core to somebody who watches.
  maxWorkers: '100%',
  // A worker with a large heap would collect garbage in the time that growth is measured by.
  workerIdleMemoryLimit: '600MB',
  reporters: ['default', '<rootDir>/tests/claims-reporter.mjs'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
};
