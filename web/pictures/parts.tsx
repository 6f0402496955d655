/** Elements that the pictures share: what is being loaded, and why something failed. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { problemFrom, sendJson } from '../api.ts';
import { ProblemView } from '../entries/hints.tsx';
import { commands } from '../state.ts';
import type { CommandResult, Problem } from '../types.ts';

export interface LoadProps<T> {
  /** Such as `the playbooks`; without it, nothing is shown while the value is loading. */
  readonly what?: string;
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly known?: T | undefined;
  readonly children: (value: T) => ComponentChildren;
}

/** Loads a value once, and shows it, or why there is none. Give it a key to load again. */
export function Load<T>({ what, load, known, children }: LoadProps<T>) {
  const [loaded, keep] = useState<{ readonly value: T } | { readonly problem: Problem } | undefined>(undefined);
  const now = known === undefined ? loaded : { value: known };
  useEffect(() => {
    const leaving = new AbortController();
    load(leaving.signal).then(
      (value) => keep({ value }),
      (thrown: unknown) => keep({ problem: problemFrom(thrown) }),
    );
    return () => leaving.abort();
  }, []);
  if (now === undefined) return what === undefined ? undefined : <p class="soft">Loading {what}…</p>;
  return <>{'value' in now ? children(now.value) : <ProblemBox problem={now.problem} />}</>;
}

export function ProblemBox({ problem }: { readonly problem: Problem }) {
  return (
    <div role="alert">
      <ProblemView problem={problem} />
    </div>
  );
}

export type Row = Readonly<Record<string, unknown>>;

/** Runs a list command, and returns its records with what only the answer of the service has, such as a scan's name. @throws ApiError */
export async function recordsOf(command: string, signal: AbortSignal): Promise<readonly Row[]> {
  if (!commands.value.has(command)) return [];
  const asked = { method: 'POST', body: { limit: 100 }, signal } as const;
  const { outputs, raw } = await sendJson<CommandResult & { readonly raw: unknown }>(`/v1/commands/${command}`, asked);
  const [first] = Object.values(outputs);
  const answers = Array.isArray(raw) ? (raw as Row[]) : [];
  return Array.isArray(first) ? (first as Row[]).map((row, at) => ({ ...answers[at], ...row })) : [];
}
