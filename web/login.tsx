/** Logs this browser in: by the code in the address, which works once, or by a token. */
import { signal } from '@preact/signals';
import { problemFrom, send } from './api.ts';
import { loadBasics, login, place, startAgain, tellTabs } from './state.ts';
import type { Problem } from './types.ts';

const ENDED = { detail: 'Your login has ended: the token was revoked, or the service was started again.', hint: '' };
const problem = signal<Problem | undefined>(undefined);

/** Logs in by the code of the address or by the cookie of an earlier login. */
export async function enter(): Promise<void> {
  const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  try {
    if (code !== undefined) {
      // The code must not stay in the history.
      history.replaceState(null, '', '#/');
      place.value = [];
      await send('/login', { method: 'POST', body: { code } });
      tellTabs();
    }
    await loadBasics();
  } catch (thrown) {
    if (code !== undefined) {
      problem.value = problemFrom(thrown);
      // A used code does not matter to a browser that is logged in.
      await loadBasics().catch(() => undefined);
    }
    if (login.value === 'unknown') login.value = 'out';
  }
}

export function Login() {
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const { token } = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement));
    try {
      await send('/login', { method: 'POST', body: { token } });
      startAgain();
    } catch (thrown) {
      problem.value = problemFrom(thrown);
    }
  };
  const { detail, hint } = problem.value ?? (login.value === 'ended' ? ENDED : {});
  return (
    <main class="login">
      <h1>aisec</h1>
      <p>The war room for AI security. It runs on this machine, and works offline.</p>
      <form onSubmit={(event) => void submit(event)}>
        <label for="token">Token</label>
        <input id="token" name="token" type="password" autocomplete="off" required aria-describedby="token-help" />
        <p id="token-help" class="soft">
          <code>aisec serve</code> prints the token of its start; <code>aisec serve token NAME --role read</code>{' '}
          creates another.
        </p>
        <button type="submit" class="primary">
          Log in
        </button>
        <p role="alert" class="problem">
          {detail} {hint}
        </p>
      </form>
    </main>
  );
}
