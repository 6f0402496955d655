import type { ContextType, ContractCommand } from './types.ts';

/** Full context path -> type, for every output of a command. */
export const outputTypes = ({ context, outputs }: ContractCommand): Map<string, ContextType> =>
  new Map(Object.entries(outputs).map(([field, type]) => [field === '' ? context : `${context}.${field}`, type]));
