import { claimedTest } from '../claimed-test.ts';
import { requirements } from './requirements.ts';

const ids = Object.values(requirements).flatMap((set) => set.map(({ id }) => id));

/** Registers a test that shows one or more requirements of the specification to hold. */
export const requirement = claimedTest('requirement', new Set(ids));
