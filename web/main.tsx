/** Starts the page, and shows its frame: header, navigation and the view of the address. */
import { type ComponentType, render } from 'preact';
import { send } from './api.ts';
import { Act } from './entries/act.tsx';
import { Dialogs } from './line/dialogs.tsx';
import { focusLine } from './line/state.ts';
import { enter, Login } from './login.tsx';
import { GuardView } from './pictures/guard.tsx';
import { Home } from './pictures/home.tsx';
import { PlaybooksView } from './pictures/playbooks.tsx';
import { ReportView } from './pictures/report.tsx';
import { Facts } from './room/facts.tsx';
import { JobsView } from './room/jobs.tsx';
import { attempt, isSpoken, notice } from './room/notices.ts';
import { RoomView } from './room/view.tsx';
import { addressOf, login, startAgain, view } from './state.ts';

/** The views by the first step of their address. */
const VIEWS: Readonly<Record<string, { readonly title: string; readonly View: ComponentType }>> = {
  home: { title: 'Home', View: Home },
  room: { title: 'Room', View: RoomView },
  jobs: { title: 'Jobs', View: JobsView },
  playbooks: { title: 'Playbooks', View: PlaybooksView },
  guard: { title: 'Guard', View: GuardView },
  reports: { title: 'Reports', View: ReportView },
  compare: { title: 'Comparison', View: ReportView },
};

const LINKS = ['home', 'room', 'jobs', 'reports', 'playbooks', 'guard'];

function App() {
  if (login.value === 'unknown') return <p class="loading">Loading…</p>;
  if (login.value !== 'in') return <Login />;
  const known = Object.hasOwn(VIEWS, view.value) ? VIEWS[view.value] : undefined;
  const { title, View } = known ?? { title: 'Not found', View: NotFound };
  document.title = `${title} - aisec`;
  return (
    <>
      <Act class="skip" on={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </Act>
      {view.value === 'room' && (
        <Act class="skip" on={focusLine}>
          Skip to the line
        </Act>
      )}
      <header class="bar">
        <a class="brand" href="#/">
          aisec
        </a>
        <nav aria-label="Views">
          {LINKS.map((name) => (
            <a
              key={name}
              href={name === 'home' ? '#/' : addressOf(name)}
              aria-current={view.value === name ? 'page' : undefined}
            >
              {VIEWS[name]?.title}
            </a>
          ))}
        </nav>
        <div class="facts">
          <Facts />
          <Act on={logOut}>Log out</Act>
        </div>
      </header>
      <p role="status" class="notice" style={{ opacity: isSpoken.value ? 0 : 1 }} dir="auto">
        {notice.value}
      </p>
      <main id="main" tabIndex={-1}>
        <View />
      </main>
      <Dialogs />
    </>
  );
}

function logOut(): Promise<void> {
  return attempt(async () => {
    await send('/logout', { method: 'POST', body: {} });
    startAgain();
  });
}

function NotFound() {
  return (
    <>
      <h1>There is no such view</h1>
      <a href="#/">Go to the first page</a>
    </>
  );
}

render(<App />, document.body);
void enter();
