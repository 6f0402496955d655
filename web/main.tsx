/** Starts the page. */
import { render } from 'preact';
import { whenLoggedOut } from './api.ts';
import { App } from './app.tsx';
import { enter } from './login.tsx';
import { login, startAgain } from './state.ts';

whenLoggedOut(() => {
  // At the start, the answer only means that the login form is needed.
  if (login.peek() === 'in') startAgain();
});
render(<App />, document.body);
void enter();
