/** Starts the page. */
import { render } from 'preact';
import { whenLoggedOut } from './api.ts';
import { App } from './app.tsx';
import { enter } from './login.tsx';
import { login } from './state.ts';

whenLoggedOut(() => {
  login.value = 'out';
});
render(<App />, document.body);
void enter();
