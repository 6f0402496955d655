/** Shows a page that the service makes, in a frame as tall as its content. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { send } from '../api.ts';
import { Load } from './parts.tsx';

/** No script, and links only after a click. The room measures the content, which needs the same origin. */
const SANDBOX = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation';

/** Shows the page of a path, or why there is none. Give it a key. @param title names the frame for screen readers */
export function Frame({ path, title }: { readonly path: string; readonly title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const state = useSignal<'loading' | 'shown' | 'failed'>('loading');
  const onLoad = () => {
    const root = frame.current?.contentDocument?.documentElement;
    const isPage = root?.querySelector('main') != null;
    state.value = isPage ? 'shown' : 'failed';
    if (!isPage) return;
    const sizes = new ResizeObserver(() => frame.current?.style.setProperty('height', `${root.scrollHeight}px`));
    sizes.observe(root);
    // The keys of the page, such as Ctrl+K, also while the focus is in the frame.
    root.addEventListener('keydown', (event) => {
      if (!dispatchEvent(new KeyboardEvent('keydown', event))) event.preventDefault();
    });
  };
  // A frame does not tell its problem to the room; a second request does.
  if (state.value === 'failed') {
    return (
      <Load what="the reason" load={(signal) => send(path, { signal })}>
        {() => <p>The browser could not show the page. Reload this page.</p>}
      </Load>
    );
  }
  return (
    <div class="frame" aria-busy={state.value === 'loading'}>
      {state.value === 'loading' ? <p class="soft">Reading the tenant…</p> : undefined}
      <iframe ref={frame} src={path} title={title} sandbox={SANDBOX} onLoad={onLoad} />
    </div>
  );
}
