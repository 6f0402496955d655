/** Shares a page that the service makes. */
import { Act } from '../entries/act.tsx';
import { copyText } from '../entries/actions.ts';

/** Copies the address of the view, and opens its page alone. @param path of the page */
export function PageLinks({ path }: { readonly path: string }) {
  return (
    <>
      <Act on={() => copyText(location.href, 'the address')}>Copy address</Act>
      <a class="button" href={path} target="_blank" rel="noopener">
        Open alone
      </a>
    </>
  );
}
