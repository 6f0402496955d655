/** What every list inside one record has beside its records. */
import { number } from '../../lib/output/record.ts';

export const page = {
  total_items: number('How many there are in all, where the service says.'),
  limit: number('How many were asked for.', { argument: 'limit' }),
  offset: number('How many were skipped.', { argument: 'offset' }),
};
