import type { ContextType, ContractFields } from './types.ts';

/** The members of an object, or of an array's entries, as fields of its record; the first is the value itself. */
export const within = (parent: string, members: ContractFields): ContractFields => ({
  [parent]: 'Unknown',
  ...Object.fromEntries(
    Object.entries(members).map(([name, type]): [string, ContextType] => [`${parent}.${name}`, type]),
  ),
});
