/** Elements that the pictures share: what is being loaded, why it failed, and how to go on. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { problemFrom, sendJson } from '../api.ts';
import { setLine } from '../line/state.ts';
import { commands } from '../state.ts';
import type { CommandResult, Problem } from '../types.ts';

export type Loaded<T> = { readonly value: T } | { readonly problem: Problem } | undefined;

/** Loads a value, and again when the key changes. @returns undefined while it is loading */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Signal<Loaded<T>> {
  const loaded = useSignal<Loaded<T>>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    const isHere = () => !leaving.signal.aborted;
    loaded.value = undefined;
    load(leaving.signal).then(
      (value) => {
        if (isHere()) loaded.value = { value };
      },
      (thrown: unknown) => {
        if (isHere()) loaded.value = { problem: problemFrom(thrown) };
      },
    );
    return () => leaving.abort();
  }, [key]);
  return loaded;
}

/** Shows a loaded value, or why there is none. */
export function Shown<T>({
  of,
  what,
  children,
}: {
  readonly of: Signal<Loaded<T>>;
  /** Such as `the playbooks`. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}) {
  const loaded = of.value;
  if (loaded === undefined) return <p class="soft">Loading {what}…</p>;
  return <div>{'value' in loaded ? children(loaded.value) : <ProblemBox problem={loaded.problem} />}</div>;
}

/** Shows why something failed; a command in the hint can be put into the room. */
export function ProblemBox({ problem: { detail, hint = '' } }: { readonly problem: Problem }) {
  const [line, name = ''] = /!(aisec-[\w-]+)(?: \S+=\S+)*/.exec(hint) ?? [];
  return (
    <div class="failure" role="alert">
      <p class="problem">
        <span aria-hidden="true">✗</span> {detail}
      </p>
      {hint === '' ? undefined : <p>{hint}</p>}
      {line !== undefined && commands.value.has(name) ? (
        <button type="button" onClick={() => setLine(line)}>
          Put this command into the room
        </button>
      ) : undefined}
    </div>
  );
}

/** Runs a command that only reads, and returns the records of its first output. @throws ApiError */
export async function recordsOf(
  command: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { outputs } = await sendJson<CommandResult>(`/v1/commands/${command}`, { method: 'POST', body: args, signal });
  const [first] = Object.values(outputs);
  return Array.isArray(first) ? (first as Readonly<Record<string, unknown>>[]) : [];
}

/** Returns a member as a text for people. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Shows any value as JSON. */
export function Json({ value }: { readonly value: unknown }) {
  const text = JSON.stringify(value ?? null, null, 2);
  const isCut = text.length > MAX_JSON_LENGTH;
  return (
    <>
      <pre class="json" dir="auto">
        {text.slice(0, MAX_JSON_LENGTH)}
      </pre>
      {isCut ? <p class="soft">The first {MAX_JSON_LENGTH} characters are shown.</p> : undefined}
    </>
  );
}

const MAX_JSON_LENGTH = 20_000;
