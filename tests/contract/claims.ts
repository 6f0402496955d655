import { claimedTest } from '../claimed-test.ts';
import { requirementIds } from '../claims-reporter.mjs';

/** Registers a test that claims one or more requirements of the specification. */
export const requirement = claimedTest('requirement', new Set(requirementIds()));
