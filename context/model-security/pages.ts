/** Counts and position of a list inside a record. */
import { number } from '../../lib/runtime/output/record.ts';

export const page = {
  total_items: number('Total number, if the service reports it.'),
  limit: number('Requested number of records.', { argument: 'limit' }),
  offset: number('Number of skipped records.', { argument: 'offset' }),
};
