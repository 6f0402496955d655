/** Sort fields of this plane's lists. `docs/wire.md` describes the service's default order. */
export const TIMES = ['created_at', 'updated_at'] as const;
export const DIRECTIONS = ['asc', 'desc'] as const;
