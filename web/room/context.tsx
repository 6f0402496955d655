/** Shows the context of the room as a tree; a chosen name puts its path into the line. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { problemFrom, sendJson } from '../api.ts';
import { Json } from '../entries/json.tsx';
import { pathTo } from '../line/text.ts';
import { isLoaded, pathOf, problem, writes } from './store.ts';

/** Time without a write after which the context is loaded again, in milliseconds. */
const QUIET_MS = 250;

/** Shows the context; another room needs another tree. */
export function ContextTree() {
  const context = useSignal<Readonly<Record<string, unknown>> | undefined>(undefined);
  const load = async (signal: AbortSignal) => {
    try {
      context.value = (await sendJson<{ context: Record<string, unknown> }>(pathOf('context'), { signal })).context;
    } catch (thrown) {
      if (!signal.aborted) problem.value = problemFrom(thrown);
    }
  };
  useSignalEffect(() => {
    if (!isLoaded.value) return undefined;
    // Subscribes to writes.
    void writes.value;
    const ending = new AbortController();
    const timer = setTimeout(() => void load(ending.signal), context.peek() === undefined ? 0 : QUIET_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  });
  const roots = Object.entries(context.value ?? {});
  return (
    <section id="context" class="context" aria-labelledby="context-title">
      <h2 id="context-title">Context</h2>
      {context.value !== undefined && roots.length === 0 ? (
        <p class="soft">Results of lines appear here. Lines refer to them, such as {'${AiSec.Topic.[0].topic_id}'}.</p>
      ) : undefined}
      {roots.map(([name, value]) => (
        <Json key={name} name={name} value={value} path={pathTo('', name)} isOpen />
      ))}
    </section>
  );
}
