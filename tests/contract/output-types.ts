import type { ContextType, ContractCommand } from './types.ts';

/** Full context path -> type, for every output of a command. */
export const outputTypes = ({ context, outputs, atEnd }: ContractCommand): Map<string, ContextType> => {
  const records = [{ context, outputs }, ...(atEnd === undefined ? [] : [atEnd])];
  return new Map(
    records.flatMap((record) =>
      Object.entries(record.outputs).map(([field, type]): [string, ContextType] => [
        field === '' ? record.context : `${record.context}.${field}`,
        type,
      ]),
    ),
  );
};
