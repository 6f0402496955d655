/** How the lists of this plane may be sorted. An order is always sent: between two pages it must not change. */
export const TIMES = ['created_at', 'updated_at'] as const;
export const DIRECTIONS = ['asc', 'desc'] as const;
