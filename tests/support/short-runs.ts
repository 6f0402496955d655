/** The number of runs of a property that names none, in a run of the short tests. */
import { configureGlobal } from 'fast-check';
import { shareOf } from './runs.ts';

configureGlobal({ numRuns: shareOf(100) });
