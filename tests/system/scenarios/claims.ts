import { claimedTest } from '../../claimed-test.ts';
import { scenarios } from './ids.ts';

/** Registers a test that shows one or more scenarios to hold. */
export const scenario = claimedTest('scenario', new Set(scenarios.map(({ id }) => id)));
