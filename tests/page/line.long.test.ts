/** The line in a real browser: completion, runs, history, the form, and what goes wrong on the way. */
import { until } from '../support/machine.ts';
import { describeInBrowser, loggedIn, type Served, serve, type TabOptions, tabs } from './support.ts';

const TOPIC = '93d8a64e-f0b7-4125-9c3a-7be1d2065f48';
const LIST = '!aisec-runtime-topics-list limit=1';

describeInBrowser('the line', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve();
  });
  afterAll(() => server.stop());
  const tab = tabs();

  /** Opens a new room in a tab that is logged in. */
  async function open(options: TabOptions = {}) {
    const { page } = await tab(server.url, options);
    const headers = { 'x-aisec-page': '1', origin: server.url };
    await page.request.post(`${server.url}/login`, { headers, data: { token: server.token } });
    const made = await page.request.post(`${server.url}/v1/sessions`, { headers, data: {} });
    const { id } = (await made.json()) as { id: string };
    await page.goto(`${server.url}/#/room/${id}`);
    const line = page.getByRole('textbox', { name: 'Line', exact: true });
    const lines = async () => {
      const answer = await page.request.get(`${server.url}/v1/sessions/${id}`, { headers });
      return ((await answer.json()) as { entries: { line: string }[] }).entries.map((entry) => entry.line);
    };
    const ran = (count: number) => until(async () => (await lines()).length === count);
    const offers = page.getByRole('listbox', { name: 'Completions' }).getByRole('option');
    await line.click();
    return { page, line, lines, ran, offers };
  }

  it('completes by Tab, runs by Enter, stays selected, and runs again', async () => {
    const { page, line, lines, ran, offers } = await open();
    await line.pressSequentially('topics-l');
    await offers.filter({ hasText: 'aisec-runtime-topics-list' }).waitFor();
    await page.keyboard.press('Tab');
    await offers.filter({ hasText: 'limit=' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    await ran(1);
    await page.keyboard.press('Enter');
    await ran(2);
    expect(await lines()).toEqual([LIST, LIST]);
    await page.keyboard.type('x');
    expect(await line.inputValue()).toBe('x');
    for (const shown of ['aisec-runtime-topics-list limit=1', 'x']) {
      await page.keyboard.press(shown === 'x' ? 'ArrowDown' : 'ArrowUp');
      expect((await line.inputValue()).replace('!', '')).toBe(shown);
    }
  });

  it('completes a short name too, and can undo an offer', async () => {
    const { page, line, offers } = await open();
    await page.keyboard.type('runtime-topics-list li');
    await offers.filter({ hasText: 'limit=' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await line.inputValue()).toBe('runtime-topics-list limit=');
    await page.keyboard.press('Control+z');
    expect(await line.inputValue()).toBe('runtime-topics-list li');
  });

  it('shows no answer to an earlier letter, and none after the line was run', async () => {
    const { page, line, offers, ran } = await open();
    const held: (() => void)[] = [];
    let isHolding = true;
    await page.route('**/complete', async (route) => {
      if (isHolding) await new Promise<void>((done) => held.push(done));
      await route.continue().catch(() => undefined);
    });
    /** Lets the answers arrive, and waits until the page has seen them. */
    const release = async () => {
      for (const done of held.splice(0)) done();
      await page.evaluate('new Promise((done) => setTimeout(done, 100))');
    };
    await line.fill('!aisec-runtime-topics-list ');
    await until(() => held.length === 1);
    isHolding = false;
    await page.keyboard.type('lim');
    await offers.filter({ hasText: 'limit=' }).waitFor();
    await release();
    expect(await offers.allTextContents()).toEqual([expect.stringContaining('limit=')]);
    isHolding = true;
    await line.fill('!aisec-runtime-profiles-list ');
    await until(() => held.length === 1);
    await page.keyboard.press('Enter');
    await ran(1);
    await release();
    expect(await offers.count()).toBe(0);
  });

  it('asks the service once after a text was typed', async () => {
    const { page, line } = await open();
    const asked: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/complete')) asked.push(request.postDataJSON().line);
    });
    await page.clock.install();
    await page.clock.pauseAt('2100-01-01');
    await line.click();
    const words = '!aisec-runtime-scan prompt="The quick brown fox jumps over the lazy dog.';
    await page.keyboard.type(words);
    const answered = page.waitForResponse(/complete$/);
    await page.clock.runFor(1000);
    await answered;
    expect(asked).toEqual([words]);
  });

  it('whose answer is lost is sent again, and runs once', async () => {
    const { page, line, lines } = await open({ permits: /ERR_FAILED/ });
    const keys: (string | undefined)[] = [];
    await page.route('**/lines', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await line.fill(LIST);
    await page.keyboard.press('Enter');
    await until(() => keys.length === 2);
    expect(keys[0]).toBe(keys[1]);
    await until(() => page.getByRole('button', { name: 'Run', exact: true }).isEnabled());
    expect(await lines()).toEqual([LIST]);
  });

  it('asks before a deletion, and keeps by Enter and Escape', async () => {
    const { page, line, lines, ran } = await open();
    const question = page.getByRole('alertdialog');
    for (const key of ['Enter', 'Escape']) {
      await line.fill(`!aisec-runtime-topics-delete topic_id=${TOPIC}`);
      await page.keyboard.press('Enter');
      await question.filter({ hasText: `(${TOPIC}) on the simulated tenant?` }).waitFor();
      await page.keyboard.press(key);
      await question.waitFor({ state: 'detached' });
    }
    expect(await lines()).toEqual([]);
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Delete' }).dblclick();
    await ran(1);
    expect(await lines()).toEqual([expect.stringContaining('topics-delete')]);
  });

  it('and the form show each other, whatever is typed', async () => {
    const { page, line, ran } = await open();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('runtime scan');
    await page
      .getByRole('option')
      .filter({ hasText: /^aisec-runtime-scan / })
      .click();
    const prompt = page.getByRole('textbox', { name: 'prompt', exact: true });
    await page.getByRole('combobox', { name: 'profile_name' }).fill('prod');
    await prompt.fill('a "quoted" text\nwith `all` of \\ it');
    expect(await line.inputValue()).toBe(
      '!aisec-runtime-scan profile_name=prod prompt="a \\"quoted\\" text\nwith `all` of \\\\ it"',
    );
    await prompt.press('Control+Enter');
    await ran(1);
    await line.fill("!aisec-runtime-scan profile_name=strict prompt='still open");
    await until(async () => (await prompt.inputValue()) === 'still open');
    expect(await page.getByRole('combobox', { name: 'profile_name' }).inputValue()).toBe('strict');
  });

  it('keeps what was typed a moment before a change of the form', async () => {
    const { page, line } = await open();
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await line.fill('!aisec-runtime-scan profile_name=prod');
    const prompt = page.getByRole('textbox', { name: 'prompt', exact: true });
    await prompt.waitFor();
    await page.route('**/complete', async (route) => {
      await new Promise((done) => setTimeout(done, 200));
      await route.continue().catch(() => undefined);
    });
    await line.pressSequentially(' app_name=new a word');
    await prompt.fill('hello');
    await until(async () => (await line.inputValue()).includes('hello'));
    expect(await line.inputValue()).toBe('!aisec-runtime-scan profile_name=prod app_name=new prompt=hello word');
    await page.getByText('Only in the line: word.').waitFor();
  });

  it('that ran dry runs dry again, and the ticked box holds for every run', async () => {
    const { page, line, ran } = await open();
    const box = page.getByRole('checkbox', { name: 'Dry run' });
    const entry = (number: number) => page.locator(`#entry-${number}`);
    const isDry = async (number: number) => (await entry(number).getByText('dry run', { exact: true }).count()) === 1;
    await box.check();
    await line.fill('!aisec-runtime-topics-create topic_name=dry description="Salaries." examples="What?,Who?"');
    await line.press('Enter');
    await box.uncheck();
    await entry(1).getByRole('button', { name: 'Run again' }).first().click();
    await entry(2).waitFor();
    await line.fill(LIST);
    await line.press('Enter');
    await entry(3).waitFor();
    await box.check();
    await entry(3).focus();
    await page.keyboard.press('r');
    await ran(4);
    await entry(4).waitFor();
    expect(await Promise.all([1, 2, 3, 4].map(isDry))).toEqual([true, true, false, true]);
  });

  it('shows help as a terminal does', async () => {
    const { page, line, lines } = await open();
    await line.fill('help topics');
    await line.press('Enter');
    const search = page.getByRole('dialog').getByRole('combobox', { name: 'Search commands' });
    expect(await search.inputValue()).toBe('topics');
    await page.keyboard.press('Escape');
    await line.fill('? runtime-scan');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('group', { name: 'Arguments of aisec-runtime-scan' }).waitFor();
    expect([await line.inputValue(), await lines()]).toEqual(['!aisec-runtime-scan ', []]);
  });

  it('says in the form where a JSON text is wrong, and takes a file that is dropped there', async () => {
    const { page, line } = await open();
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await line.fill('!aisec-redteam-scan-create ');
    const field = page.getByRole('textbox', { name: 'categories' });
    await field.fill('{"a": 1,\n "b": ]}');
    await page.getByRole('button', { name: 'Line 2, column 7: expected a value' }).click();
    const selected = await page.evaluate('[document.activeElement.selectionStart, document.activeElement.ariaInvalid]');
    expect(selected).toEqual([15, 'true']);
    await field.fill('{}');
    await page.locator('[aria-invalid="true"]').waitFor({ state: 'detached' });
    await line.fill('!aisec-redteam-prompt-sets-upload ');
    const form = page.getByRole('group', { name: 'Arguments of aisec-redteam-prompt-sets-upload' });
    await form.waitFor();
    const dataTransfer = await page.evaluateHandle(
      "(() => { const data = new DataTransfer(); data.items.add(new File(['prompt'], 'prompts.csv')); return data; })()",
    );
    for (const type of ['dragover', 'drop']) await form.dispatchEvent(type, { dataTransfer });
    await form.getByText('prompts.csv').waitFor();
    expect(await form.locator('input[type=file]').isHidden()).toBe(true);
    expect(await line.inputValue()).toMatch(/ entryID=\S+$/);
    await form.getByRole('button', { name: 'Remove' }).click();
    await until(async () => (await line.inputValue()) === '!aisec-redteam-prompt-sets-upload');
  });

  it('that is run at once, or comes from the history, is in the form too', async () => {
    const { page, line, ran } = await open();
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    const limit = page.getByRole('combobox', { name: 'limit' });
    for (const [typed, count] of [
      ['1', 1],
      ['2', 2],
    ] as const) {
      await line.fill(`!aisec-runtime-topics-list limit=${typed}`);
      await page.keyboard.press('Enter');
      await ran(count);
      await until(async () => (await limit.inputValue()) === typed);
    }
    await page.keyboard.press('ArrowUp');
    await until(async () => (await limit.inputValue()) === '1');
  });

  it('never shows a secret of the form, which the logout forgets', async () => {
    const { page, line } = await open({ permits: /status of 401/ });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('redteam-targets-create');
    await page.keyboard.press('Enter');
    const secret = page.getByRole('textbox', { name: 'connection_params' });
    if (await secret.isHidden()) await page.getByText(/^More:/).click();
    await secret.fill('{"key": "s3cret-word"}');
    expect(await line.inputValue()).toBe('!aisec-redteam-targets-create connection_params=••••••');
    expect(await page.locator('main').textContent()).not.toContain('s3cret-word');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').fill(server.token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await loggedIn(page);
    await line.waitFor();
    expect(await line.inputValue()).toBe('');
  });

  it.each([
    ['?', 'Keys'],
    ['Control+k', 'Search commands'],
  ])('%s opens the dialog "%s", which gives the focus back', async (key, name) => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Form', exact: true }).focus();
    await page.keyboard.press(key);
    await page.getByRole('dialog', { name }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.locator(':focus').textContent()).toBe('Form');
  });
});
