/** Shows the requests behind an entry. */
import type { SeenRequest } from '../types.ts';
import { spentTime, visible } from './cells.ts';
import { Json } from './json.tsx';

export function Requests({ requests }: { requests: readonly SeenRequest[] }) {
  if (requests.length === 0) return null;
  return (
    <details class="requests">
      <summary>
        Requests <span class="soft">{requests.length}</span>
      </summary>
      <ol>
        {requests.map(({ method, url, status, ms, at, sent, received }, index) => (
          <li key={index}>
            <p>
              <strong dir="auto">{visible(method)}</strong> <code dir="auto">{visible(url)}</code>{' '}
              <span class={status === null || status >= 400 ? 'bad' : 'good'}>{status ?? 'no answer'}</span>{' '}
              <span class="soft">
                {spentTime(ms)} at <time dir="auto">{visible(at)}</time>
              </span>
            </p>
            {sent === undefined ? undefined : <Json name="sent" value={sent} />}
            {received === undefined ? undefined : <Json name="received" value={received} />}
          </li>
        ))}
      </ol>
    </details>
  );
}
