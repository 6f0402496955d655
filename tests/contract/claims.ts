import { claimedTest } from '../claimed-test.ts';
import { requirementIds } from '../claims-reporter.mjs';

/** Registers a test that shows one or more requirements of the specification to hold. */
export const requirement = claimedTest('requirement', new Set(requirementIds()));
