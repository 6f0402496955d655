/** Starts the page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { enter } from './login.tsx';

render(<App />, document.body);
void enter();
