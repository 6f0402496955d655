/** The built program and a real browser: tabs that report everything a browser complains about. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { findBrowser, launchBrowser } from '../../scripts/browser.mjs';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { environmentOfRealTime, until } from '../support/machine.ts';
import { ended, ROOT, start } from '../support/program.ts';
import { sharedPackage } from '../system/built/package.ts';

/** With a fake clock, the browser would wait forever. */
const environment = environmentOfRealTime();
const hasBrowser = findBrowser(environment) !== undefined;
if (!hasBrowser)
  process.stdout.write('skipped: no chromium is installed to open the war room in (apt-get install chromium)\n');

/** `describe` if there is a browser, otherwise skipped. */
export const describeInBrowser = hasBrowser ? describe : describe.skip;

export interface Served {
  /** Origin of the service, such as `http://127.0.0.1:8788`. */
  readonly url: string;
  /** The administrator's token of this start; empty with a file of tokens. */
  readonly token: string;
  /** The address that works once; empty with a file of tokens. */
  readonly address: string;
  readonly folder: string;
  stop(): Promise<unknown>;
}

/** Starts the service as users install it. @param environment settings of a tenant; by default, the service is simulated */
export async function serve(
  words: readonly string[] = [],
  {
    environment: settings,
    folder = temporaryFolder('page'),
  }: { environment?: Record<string, string>; folder?: string } = {},
): Promise<Served> {
  const { installed } = await sharedPackage();
  const all = ['serve', ...(settings ? [] : ['--simulate']), '--port', '0', '--rate', '100000', ...words];
  const child = start(join(installed, 'dist', 'aisec.cjs'), all, { folder, environment: settings ?? {} });
  const end = ended(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      printed += String(chunk);
    });
  while (!/The war room is at \S+\s/.test(printed))
    await Promise.race([
      once(child.stdout as NodeJS.ReadableStream, 'data'),
      once(child.stderr as NodeJS.ReadableStream, 'data'),
      end.then(() => Promise.reject(new Error(printed))),
    ]);
  const found = (pattern: RegExp) => pattern.exec(printed)?.[1] ?? '';
  return {
    url: found(/^AISEC_URL=(.*)$/m),
    token: found(/^AISEC_TOKEN=(.*)$/m),
    address: found(/(http\S+#code=\S+)/),
    folder,
    stop: () => {
      child.kill('SIGTERM');
      return end;
    },
  };
}

/** Time for a step on a busy machine. */
const SLOW_MS = 60_000;

/** Prints a policy violation to the console, where the tab collects it. */
const REPORT_VIOLATIONS =
  "document.addEventListener('securitypolicyviolation', (event) => console.error(`policy ${event.violatedDirective} ${event.blockedURI}`));";

export interface TabOptions extends BrowserContextOptions {
  /** Complaints of the browser that the test causes on purpose. */
  readonly permits?: RegExp;
}

/** A tab of its own browser profile; the test fails if the browser complains, or if the page asks another origin. */
export interface Tab {
  readonly page: Page;
  /** Opens another tab of the same profile. */
  another(): Promise<Page>;
  /** Complaints so far; a test removes those that it expects. */
  readonly complaints: string[];
}

/** Opens tabs during the tests of a block; after each test, they close, and the test fails if they complained. */
export function tabs(): (origin: string, options?: TabOptions) => Promise<Tab> {
  let browser: Browser;
  const opened: { complaints: string[]; close: () => Promise<void> }[] = [];
  beforeAll(async () => {
    browser = await launchBrowser(environment);
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    const all = opened.splice(0);
    for (const { close } of all) await close();
    expectNone(
      all.flatMap(({ complaints }) => complaints),
      'complaints of the browser',
    );
  });
  return async (origin, { permits, ...options } = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(SLOW_MS);
    const complaints: string[] = [];
    const complain = (text: string) => {
      if (permits?.test(text) !== true) complaints.push(text);
    };
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        complain(`console: ${message.text()} ${message.location().url}`);
    });
    context.on('weberror', (error) => complain(`script: ${error.error().message}`));
    context.on('request', (request) => {
      const { origin: asked, protocol } = new URL(request.url());
      if (asked !== origin && protocol !== 'data:') complain(`request: ${request.url()}`);
    });
    context.on('dialog', (dialog) => {
      complain(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('page', watchRequests);
    await context.addInitScript(REPORT_VIOLATIONS);
    opened.push({ complaints, close: () => context.close() });
    return { page: await context.newPage(), another: () => context.newPage(), complaints };
  };
}

/** Resolves when the frame of the page is shown to a browser that is logged in. */
export function loggedIn(page: Page): Promise<void> {
  return page.getByRole('navigation', { name: 'Views' }).waitFor();
}

/** Types a token into the form of the login. */
export async function logInBy(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Requests without a response, but for streams of events, which last. */
const unanswered = new WeakMap<Page, Set<Request>>();

function watchRequests(page: Page): void {
  const pending = new Set<Request>();
  unanswered.set(page, pending);
  page.on('request', (request) => {
    if (!new URL(request.url()).pathname.endsWith('/events')) pending.add(request);
  });
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
}

/** Two frames: what a response changes is drawn, and what it asks for is under way. */
const DRAWN = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))';

/** Resolves when the view has all that it asked for, and has drawn it. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main').waitFor();
  let quiet = 0;
  await until(async () => {
    await page.evaluate(DRAWN);
    quiet = unanswered.get(page)?.size === 0 ? quiet + 1 : 0;
    return quiet === 3;
  });
}

const AXE = join(ROOT, 'node_modules', 'axe-core', 'axe.min.js');

/** Runs axe. @param rules default: all @returns a line for each violation */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Evaluated by the debugger, which the policy of the page does not concern.
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const found = await page.evaluate<{ id: string; help: string; nodes: { target: unknown; html: string }[] }[]>(
    `axe.run(document, ${JSON.stringify({ iframes: false, ...(rules && { runOnly: rules }) })}).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, html }) => `${id}: ${help}: ${String(target)} ${html.slice(0, 120)}`),
  );
}
