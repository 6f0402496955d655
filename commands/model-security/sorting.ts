/** How the lists of this plane may be sorted. Without an order the service has its own: see `docs/wire.md`. */
export const TIMES = ['created_at', 'updated_at'] as const;
export const DIRECTIONS = ['asc', 'desc'] as const;
