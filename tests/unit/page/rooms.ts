/** Documents of an invented room. */
import { kindOf } from '../../../lib/runtime/select/printed.ts';
import type { EntryHead, TableColumn } from '../../../web/types.ts';

export function headOf(number: number, more: Partial<EntryHead> = {}): EntryHead {
  return {
    number,
    line: '!aisec-redteam-scans-list',
    command: 'aisec-redteam-scans-list',
    by: null,
    time: '2026-11-27T12:00:00.000Z',
    ms: 40,
    state: 'done',
    verdict: null,
    summary: '',
    count: null,
    wrote: [],
    starred: false,
    stale: false,
    dryRun: false,
    simulated: false,
    run: null,
    ...more,
  };
}

export function columnNamed(name: string, values: readonly unknown[]): TableColumn {
  const type = typeof values[0] === 'number' ? 'Number' : typeof values[0] === 'boolean' ? 'Boolean' : 'String';
  return { name, title: name, kind: kindOf(name, { type }) };
}
