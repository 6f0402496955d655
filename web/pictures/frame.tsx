/** Shows a page that the service makes, in a frame as tall as its content. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { problemFrom, send } from '../api.ts';
import type { Problem } from '../types.ts';
import { ProblemBox } from './parts.tsx';

/** No script, and links only after a click. The page measures its content, which needs the same origin. */
const SANDBOX = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation';

export interface FrameProps {
  /** Path of the page. */
  readonly path: string;
  /** Names the frame for screen readers. */
  readonly title: string;
}

/** Shows the page of a path, or why there is none. */
export function Frame({ path, title }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const state = useSignal<'loading' | 'shown' | Problem>('loading');
  const sizes = useRef<ResizeObserver | undefined>(undefined);
  useEffect(() => {
    state.value = 'loading';
    return () => sizes.current?.disconnect();
  }, [path]);
  const onLoad = async () => {
    const element = frame.current;
    const content = element?.contentDocument?.querySelector('main')?.parentElement;
    sizes.current?.disconnect();
    if (element === null || content === null || content === undefined) {
      state.value = problemIn(element?.contentDocument) ?? (await reasonFor(path));
      return;
    }
    state.value = 'shown';
    const resize = () => {
      element.style.height = `${content.ownerDocument.documentElement.offsetHeight}px`;
    };
    sizes.current = new ResizeObserver(resize);
    sizes.current.observe(content.ownerDocument.documentElement);
    resize();
  };
  const isFailed = typeof state.value === 'object';
  return (
    <div class="frame" aria-busy={state.value === 'loading'}>
      {state.value === 'loading' ? <p class="soft">Reading the tenant…</p> : undefined}
      {typeof state.value === 'object' ? <ProblemBox problem={state.value} /> : undefined}
      {isFailed ? undefined : (
        <iframe key={path} ref={frame} src={path} title={title} sandbox={SANDBOX} onLoad={() => void onLoad()} />
      )}
    </div>
  );
}

/** Reads the problem that the frame shows; a login that has ended is for the whole page. */
function problemIn(shown: Document | null | undefined): Problem | undefined {
  try {
    const problem = JSON.parse(shown?.body.textContent ?? '') as Problem;
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
