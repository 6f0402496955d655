import { claimedTest } from '../../claimed-test.ts';
import { scenarios } from './ids.ts';

/** Registers a test that claims one or more scenarios. */
export const scenario = claimedTest('scenario', new Set(scenarios.map(({ id }) => id)));
