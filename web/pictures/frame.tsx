/** Shows a page that the service makes, in a frame as tall as its content. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { problemFrom, send } from '../api.ts';
import type { Problem } from '../types.ts';
import { ProblemBox } from './parts.tsx';

/** No script, and links only after a click. The room measures the content, which needs the same origin. */
const SANDBOX = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation';

/** Shows the page of a path, or why there is none. Give it a key. @param title names the frame for screen readers */
export function Frame({ path, title }: { readonly path: string; readonly title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const state = useSignal<'loading' | 'shown' | Problem>('loading');
  const sizes = useRef<ResizeObserver | undefined>(undefined);
  useEffect(() => () => sizes.current?.disconnect(), []);
  const onLoad = async () => {
    const shown = frame.current?.contentDocument;
    if (shown?.querySelector('main') == null) {
      state.value = problemIn(shown?.body.textContent) ?? (await reasonFor(path));
      return;
    }
    state.value = 'shown';
    sizes.current = new ResizeObserver(([entry]) => {
      if (frame.current !== null) frame.current.style.height = `${entry?.target.scrollHeight}px`;
    });
    sizes.current.observe(shown.documentElement);
  };
  if (typeof state.value === 'object') return <ProblemBox problem={state.value} />;
  return (
    <div class="frame" aria-busy={state.value === 'loading'}>
      {state.value === 'loading' ? <p class="soft">Reading the tenant…</p> : undefined}
      <iframe ref={frame} src={path} title={title} sandbox={SANDBOX} onLoad={() => void onLoad()} />
    </div>
  );
}

/** Reads the problem that the frame shows; a login that has ended is for the whole page. */
function problemIn(text: string | null | undefined): Problem | undefined {
  try {
    const problem = JSON.parse(text ?? '') as Problem;
    return typeof problem.detail === 'string' && problem.status !== 401 ? problem : undefined;
  } catch {
    return undefined;
  }
}

/** Asks again for a page that a frame could not show. */
async function reasonFor(path: string): Promise<Problem> {
  try {
    await send(path);
    return { status: 0, code: 'page', detail: 'The browser could not show the page.', hint: 'Open it alone.' };
  } catch (thrown) {
    return problemFrom(thrown);
  }
}
