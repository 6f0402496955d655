/** Sort fields of this plane's lists. The service has a default order: see `docs/wire.md`. */
export const TIMES = ['created_at', 'updated_at'] as const;
export const DIRECTIONS = ['asc', 'desc'] as const;
