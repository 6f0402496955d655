import all from './jest.config.mjs';

/**
 * What `npm test` runs: everything but the files that take long by what they do, which is to build and install the package, to press
 * keys in shells, to start processes and kill them, or to measure growth. Who claims what is counted in a run of everything.
 */
export default { ...all, reporters: ['default'], testPathIgnorePatterns: ['/node_modules/', '\\.long\\.test\\.ts$'] };
