import type { ContextType, ContractFields } from './types.ts';

/** The members of an object, or of each entry of an array, as fields of the record that holds it; the first is the value itself. */
export const within = (parent: string, members: ContractFields): ContractFields => ({
  [parent]: 'Unknown',
  ...Object.fromEntries(
    Object.entries(members).map(([name, type]): [string, ContextType] => [`${parent}.${name}`, type]),
  ),
});
