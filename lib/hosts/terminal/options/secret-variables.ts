import { SETTINGS } from '../../../core/parameters.ts';

/** Environment variables that hold secrets. */
export const SECRET_VARIABLES: readonly string[] = Object.values(SETTINGS)
  .filter(({ kind }) => kind === 'secret')
  .map(({ environment }) => environment);
