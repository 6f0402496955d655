/** Default number of runs of a property in the short tests. */
import { configureGlobal } from 'fast-check';
import { shareOf } from './runs.ts';

configureGlobal({ numRuns: shareOf(100) });
