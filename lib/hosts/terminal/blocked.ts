import type { Result } from '../../result.ts';

/** Tells whether the verdict of a scan is block. Reads the verdict from the shown record, which has it even if the outputs are ignored. */
export function isBlocked({ readable: { tables } }: Result): boolean {
  return tables.some(({ of, rows }) => {
    const field = of?.view.blocked;
    const at = of?.fields.findIndex(([name]) => name === field) ?? -1;
    const text = (at < 0 ? undefined : rows[at]?.[1]) ?? '';
    return of?.many === false && (text === 'block' || Number(text) > 0);
  });
}
