import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { parseLine } from '../../../lib/client/argv.ts';
import { redaction } from '../../../lib/core/redaction/redact.ts';
import { SECRET_MEMBERS } from '../../../lib/core/wire.ts';
import type { Format } from '../../../lib/hosts/terminal/line/options.ts';
import { createLog } from '../../../lib/node/log/log.ts';
import { management } from '../../../lib/runtime/api/call.ts';
import { path } from '../../../lib/runtime/api/path.ts';
import type { Command } from '../../../lib/runtime/engine/command.ts';
import { commandOf } from '../../support/declared.ts';
import { stage } from '../../support/exchange.ts';
import { expectNone } from '../../support/expect-none.ts';
import { LINE_ROWS, LINE_SECRETS, LINES } from '../../support/lines.ts';
import { someOf } from '../../support/runs.ts';
import { scenario } from '../scenarios/claims.ts';
import { scenarios } from '../scenarios/ids.ts';
import { CANARIES, type CanaryService, canaryService, formsOf, searchFor } from './canaries.ts';
import { withoutDeclared } from './declared.ts';
import { runInEngine } from './platform.ts';
import { openTerminal, type Shown } from './terminal.ts';
import { TROUBLES, type Trouble } from './troubles.ts';

const declared = LINE_ROWS.map((row) => ({ ...row, command: commandOf(row.name) }));
const keepers = declared.filter(({ command }) => Object.values(command.args).some(({ secret }) => secret === true));

/** Timeout for all commands in sequence, on a busy machine. */
const LONG_MS = 240_000;

const terminal = openTerminal();

const CLIENT = canaryService().settings('')['AISEC_CLIENT_ID'] ?? '';
const configured = searchFor(Object.values(CANARIES), CLIENT);
const given = searchFor(LINE_SECRETS, CLIENT);

/** Texts by their place, such as `stderr`. */
type Places = Readonly<Record<string, string>>;

/**
 * Secrets that a run has shown, and where: `leaked clientSecret in stderr`.
 *
 * @param result output that may contain declared secrets
 * @param rest output that may contain no secret
 */
function leaks(service: CanaryService, result: string, undeclared: string, rest: Places): string[] {
  const issued = searchFor(service.issued(), CLIENT);
  const ofService = (text: string) => [...given(text), ...issued(text)];
  const inResult = leaked([...configured(result), ...ofService(undeclared)], 'the result');
  const elsewhere = Object.entries(rest).flatMap(([place, text]) =>
    leaked([...configured(text), ...ofService(text)], place),
  );
  return [...new Set([...inResult, ...elsewhere])];
}

const leaked = (secrets: readonly string[], place: string) =>
  secrets.map((secret) => `leaked ${nameOf(secret)} in ${place}`);

/** Names the canaries, for failure messages. */
function nameOf(secret: string): string {
  const [name] = Object.entries(CANARIES).find(([, canary]) => canary === secret) ?? [];
  return name ?? JSON.stringify(secret.slice(0, 40));
}

/** Returns all texts except the result. */
const besides = ({ stderr, files }: Shown): Places => ({
  stderr,
  ...Object.fromEntries(
    Object.entries(files)
      .filter(([name]) => !isKept(name, stderr))
      .map(([name, text]) => [`the file ${name}`, text]),
  ),
});

/** Reports whether a file is the private file of a one-time secret, whose context ends with the process. */
const isKept = (name: string, stderr: string): boolean =>
  stderr.replaceAll(/\s+/g, ' ').includes(`${name}, which only its owner can read.`);

function leaksOf(shown: Shown, service: CanaryService, format: Format, command: Command): string[] {
  const { stdout } = shown;
  const undeclared = stdout === '' ? '' : withoutDeclared(stdout, format, command);
  return leaks(service, stdout, undeclared, besides(shown));
}

/** Services for consecutive commands: a service is reused if no command can notice another command's effects. */
function servicesFor({ options, wrap }: Partial<Trouble>, isShared: (command: Command) => boolean) {
  const common = canaryService(options, wrap);
  return (command: Command): CanaryService => {
    common.forget();
    return isShared(command) ? common : canaryService(options, wrap);
  };
}

const isRead = ({ effect }: Command) => effect === 'read';

interface Form {
  readonly what: string;
  readonly format: Format;
  readonly flags?: readonly string[];
  /** Arguments that are added to every line. */
  readonly more?: string;
  readonly terminal?: boolean;
}

const SHOWING = ['--log-content'];
const FORMS: readonly Form[] = [
  { what: 'a table', format: 'table', terminal: true, flags: SHOWING },
  { what: 'a raw answer', format: 'table', more: ' raw-response=true extend-context=Own=.', flags: SHOWING },
  { what: 'JSON', format: 'json', more: ' extend-context=Own=.' },
  { what: 'JSON lines', format: 'jsonl', flags: SHOWING },
  { what: 'the context', format: 'context', flags: SHOWING },
  { what: 'entries', format: 'entry', flags: SHOWING },
  { what: 'markdown', format: 'markdown', terminal: true },
  { what: 'JSON whose records do not fit', format: 'json', flags: ['--context-limit', '1'] },
];

describe('in the terminal, at the lowest log level', () => {
  const TRACE = ['--log-level', 'trace'];

  scenario.each(FORMS)(
    'no-secret-anywhere',
    'no command shows a secret in $what',
    async (form) => {
      const found: string[] = [];
      const serviceFor = servicesFor({}, isRead);
      for (const { name, line, command } of someOf(declared, FORMS.indexOf(form))) {
        const service = serviceFor(command);
        const argv = [
          terminal.located(line) + (form.more ?? ''),
          '--output',
          form.format,
          ...TRACE,
          ...(form.flags ?? []),
        ];
        const shown = await terminal.run(argv, service, { terminal: form.terminal === true });
        found.push(...leaksOf(shown, service, form.format, command).map((leak) => `${name}: ${leak}`));
        if (shown.code !== 0) found.push(`${name}: exit code ${shown.code}, expected 0`);
        const isLogged = /trace: received|"level":"trace".*"message":"received"/.test(shown.stderr);
        if (!isLogged) found.push(`${name}: logged no answer, so the log shows nothing`);
      }
      expectNone(found, 'commands that show a secret, or do not run');
    },
    LONG_MS,
  );

  const inTwoForms = TROUBLES.flatMap((trouble) =>
    (['table', 'json'] as const).map((format) => ({ ...trouble, format })),
  );
  scenario.each(inTwoForms)(
    'no-secret-anywhere',
    'no command shows a secret $what, as $format',
    async ({ format, ...trouble }) => {
      const found: string[] = [];
      const unexpected: string[] = [];
      const serviceFor = servicesFor(trouble, () => trouble.once !== true);
      for (const { name, line, command } of someOf(
        declared,
        inTwoForms.findIndex((row) => row.what === trouble.what && row.format === format),
      )) {
        const service = serviceFor(command);
        const argv = [terminal.located(line), '--output', format, ...TRACE, ...SHOWING, ...(trouble.flags ?? [])];
        const shown = await terminal.run(argv, service, { terminal: format === 'table' });
        found.push(...leaksOf(shown, service, format, command).map((leak) => `${name}: ${leak}`));
        if (trouble.fatal && shown.code === 0) unexpected.push(`${name}: exit code 0, expected a failure`);
      }
      expectNone(found, 'commands that show a secret');
      expectNone(unexpected, 'commands that succeed in spite of the trouble');
    },
    LONG_MS,
  );

  scenario('no-secret-anywhere', 'no log shows a secret typed in the wrong place', async () => {
    for (const secret of Object.values(CANARIES)) {
      const line = `!aisec-runtime-customer-apps-get app_name=\`${secret}\``;
      const { stderr } = await terminal.run([line, '--output', 'json', ...TRACE, ...SHOWING], canaryService());
      expect(stderr).toContain('?app_name=***');
      expectNone(leaked(configured(stderr), 'stderr'), 'secrets in what is logged');
    }
  });

  scenario('debug-bodies', 'prompts are logged only with --log-content', async () => {
    const found: string[] = [];
    for (const { name, line, command } of declared) {
      const { pairs } = parseLine(line);
      const words = pairs.filter((pair) => command.args[pair.name]?.content === true).map(({ value }) => String(value));
      if (words.length === 0) continue;
      const [hidden, shown] = [
        await terminal.run([terminal.located(line), ...TRACE], canaryService()),
        await terminal.run([terminal.located(line), ...TRACE, ...SHOWING], canaryService()),
      ];
      const [first = ''] = words;
      if (words.some((each) => each.length > 3 && hidden.stderr.includes(JSON.stringify(each))))
        found.push(`${name}: logged what people wrote, unasked`);
      if (first.includes(' ') && !first.includes('\n') && !shown.stderr.includes(first))
        found.push(`${name}: did not log what people wrote, with --log-content`);
    }
    expectNone(found, 'commands that log the wrong texts');
  });
});

describe('in all other output of the terminal', () => {
  const TRACE = ['--log-level', 'trace', '--log-content'];
  const { jobs } = RED_TEAM_IDS;
  const at = (name: string) => join(terminal.directory, name);
  const allOf = ({ stdout, stderr, files }: Shown) => [stdout, stderr, ...Object.values(files)];
  const leaked = (shown: Shown, service: CanaryService, more: Places = {}) =>
    leaks(service, shown.stdout, shown.stdout, { ...besides(shown), ...more });

  const playbook = {
    name: 'New key',
    starttaskid: '0',
    outputs: [{ contextPath: 'AiSec.ApiKeyCreate.api_key' }, { contextPath: 'AiSec.ApiKeyCreate.auth_code' }],
    tasks: {
      0: { id: '0', type: 'start', task: { name: '' }, nexttasks: { '#none#': ['1'] } },
      1: {
        ...{ id: '1', type: 'regular', nexttasks: { '#none#': ['2'] } },
        task: { name: 'Create', script: '|||aisec-runtime-api-keys-create', iscommand: true },
        scriptarguments: Object.fromEntries(
          parseLine(`!create ${LINES['aisec-runtime-api-keys-create']}`).pairs.map(({ name, value }) => [
            name,
            { simple: value },
          ]),
        ),
      },
      2: { id: '2', type: 'title', task: { name: 'Done' } },
    },
  };
  writeFileSync(at('playbook.json'), JSON.stringify(playbook));

  const topic = { name: 'a', description: `Texts such as ${CANARIES.runtimeKey}.`, examples: ['b', 'c'] };
  writeFileSync(at('guardrails.json'), JSON.stringify({ version: 1, topics: [topic], profiles: [{ name: 'prod' }] }));

  const model = (LINES['aisec-model-security-scans-get'] ?? '').replace(/^\w+=/, '');
  const subcommands: readonly { words: readonly string[]; written?: readonly string[]; code?: number }[] = [
    { words: ['doctor'] },
    {
      words: ['gate', 'redteam', jobs.static, '--max-asr', '1', '--fail-on', 'low'],
      written: ['sarif', 'junit'],
      code: 1,
    },
    { words: ['gate', 'model', model], written: ['sarif', 'junit'], code: 1 },
    { words: ['report', jobs.static], written: ['html'] },
    { words: ['report', jobs.dynamic], written: ['html'] },
    { words: ['compare', jobs.earlierStatic, jobs.static], written: ['html'] },
    {
      words: ['gate', 'redteam', jobs.static, '--baseline', jobs.earlierStatic],
      written: ['sarif', 'junit'],
      code: 1,
    },
    { words: ['playbook', at('playbook.json')] },
    { words: ['apply', at('guardrails.json'), '--yes'] },
  ];
  const runs = subcommands.flatMap((row) =>
    (['table', 'json'] as const).map((format) => ({ ...row, format, name: row.words[0] ?? '' })),
  );
  scenario.each(runs)(
    'no-secret-anywhere',
    'aisec $name writes no secret, as $format',
    async ({ name, words, written = [], code = 0, format }) => {
      const service = canaryService();
      const files = written.flatMap((kind) => [`--${kind}`, at(kind)]);
      const argv = [...words, ...files, '--output', format, ...TRACE];
      const shown = await terminal.run(argv, service, { terminal: format === 'table' });
      expect([shown.code, shown.stderr]).toEqual([code, expect.stringContaining('received')]);
      const texts = Object.fromEntries(written.map((kind) => [`the ${kind}`, readFileSync(at(kind), 'utf8')]));
      const empty = Object.entries(texts).filter(([, text]) => text.length <= 100);
      expectNone(
        empty.map(([kind, text]) => `${kind} has ${text.length} characters`),
        'files with next to nothing in them',
      );
      // Declared outputs exist for playbooks to read, so they may contain secrets.
      const { outputs, ...undeclared } = name === 'playbook' && format === 'json' ? JSON.parse(shown.stdout) : {};
      const result = outputs === undefined ? shown.stdout : JSON.stringify(undeclared);
      expectNone(leaked({ ...shown, stdout: result }, service, texts), 'secrets in what is written');
      if (name === 'playbook') expect(service.issued().length).toBeGreaterThan(1);
    },
  );

  scenario('no-secret-anywhere', 'a stopped bulk scan keeps no secret next to its results', async () => {
    let scans = 0;
    const service = canaryService({}, (handle) => (request, clock) => {
      const isScan = request.url.includes('/v1/scan/');
      if (isScan) scans += 1;
      return isScan && scans > 3 ? { status: 401, headers: {}, body: '{}', latencyMs: 0 } : handle(request, clock);
    });
    const prompts = Array.from({ length: 40 }, (_, index) => `prompt ${index}`).join('\n');
    const line = `!aisec-runtime-bulk-scan profile_name=prod prompts_csv="${prompts.replace(/\n/g, '\\n')}" batch_size=5`;
    const shown = await terminal.run([line, ...TRACE], service);
    expect(shown.code).not.toBe(0);
    expect(Object.keys(shown.files).join(' ')).toMatch(/partial\.jsonl/);
    expect(Object.keys(shown.files).join(' ')).toMatch(/\.journal/);
    expectNone(leaked(shown, service), 'secrets in what is written');
  });

  const SOURCES = [
    { source: 'the environment', give: (secret: string) => ({ value: '@env:GIVEN', environment: { GIVEN: secret } }) },
    {
      source: 'a file',
      give: (secret: string) => {
        writeFileSync(at('given'), `${secret}\n`);
        return { value: `@file:${at('given')}`, environment: {} };
      },
    },
  ];
  scenario.each(SOURCES)(
    'no-secret-anywhere',
    'a secret argument from $source is sent, and shown nowhere',
    async ({ give }) => {
      for (const { name, line, command } of keepers) {
        const pairs = parseLine(line).pairs.filter((pair) => command.args[pair.name]?.secret === true);
        for (const pair of pairs) {
          const { value, environment } = give(String(pair.value));
          const [before = '', after = ''] = line.split(new RegExp(` ${pair.name}=(?:\`[^\`]*\`|\\S+)`));
          const service = canaryService();
          const argv = [`${before} ${pair.name}=${value}${after}`, '--output', 'json', ...TRACE];
          const shown = await terminal.run(argv, service, { environment });
          const leaking = leaksOf(shown, service, 'json', command).map((leak) => `${name} ${pair.name}: ${leak}`);
          expectNone(leaking, 'secrets that are shown');
          expect([name, shown.code]).toEqual([name, 0]);
        }
      }
    },
  );

  /** A secret as a person may type it, quoted correctly or not. */
  const TYPED = [
    'auth_code=CANARY-typed',
    'auth_code="CANARY-typed one"',
    'auth_code="a \\"CANARY-typed\\" b"',
    'auth_code=`a "CANARY-typed"`',
    "auth_code='a CANARY-typed",
    'auth_code="a"CANARY-typed',
    'auth_code={"a": "CANARY-typed"}',
    'auth_code=a CANARY-typed',
    'auth_cod=CANARY-typed',
    'api_key_name=new CANARY-typed=1 auth_code=x',
  ].map((typed) => `!aisec-runtime-api-keys-create cust_app=chat ${typed}`);
  const MISTYPED = '!aisec-runtime-api-key-create cust_app=chat auth_code="CANARY typed" a CANARY-typed';

  scenario('no-secret-anywhere', 'a repeated line is shown without its secrets', async () => {
    const lines = [
      ...keepers.map(({ line }) => line),
      ...TYPED,
      MISTYPED,
      ...TYPED.map((line) => `# ${line}`),
      '# Prose.',
    ];
    const service = canaryService();
    const input = `${lines.join('\n')}\n`;
    const shown = await terminal.run(['--echo', '--keep-going', '--output', 'table', ...TRACE], service, { input });
    expectNone(leaked(shown, service), 'secrets in what is written');
    expect(allOf(shown).join('\n')).not.toContain('CANARY');
    expect(shown.stdout).toContain('# Prose.');
    for (const { name } of keepers) expect(shown.stdout).toContain(`!${name} `);
  });

  scenario(
    ['no-secret-anywhere', 'secret-settings'],
    'the history of a war room keeps no secret of any command',
    async () => {
      const service = canaryService();
      const rows = someOf(LINE_ROWS, 5);
      const lines = [...rows.map(({ line }) => line), ...TYPED, MISTYPED];
      const shown = await terminal.run(['--output', 'json', '--dry-run'], service, {
        input: `${lines.join('\n')}\nexit\n`,
        terminal: true,
      });
      const history = readFileSync(at('aisec/history'), 'utf8');
      expect(shown.code).toBe(0);
      expect(history.split('\n').length).toBeGreaterThan(rows.length);
      const kept = leaked({ ...shown, stdout: '', stderr: '' }, service, { 'the history': history });
      expectNone(kept, 'secrets that are kept');
      expect(history).not.toContain('CANARY');
    },
  );
});

describe('on the platform', () => {
  const argsOf = (line: string, command: Command) => {
    const { pairs, positionals } = parseLine(line);
    const positional = Object.entries(command.args).find(([, argument]) => argument.positional === true)?.[0] ?? '';
    const named = positionals.map((value) => ({ name: positional, value }));
    return Object.fromEntries([...pairs, ...named].map(({ name, value }) => [name, value]));
  };
  const SUCCESS: Trouble = { what: 'where it succeeds', fatal: false };
  // The code that reads responses is the same as in the terminal; the transport and the log differ.
  const circumstances = [SUCCESS, ...TROUBLES.filter(({ what }) => /fails|lost|repeats/.test(what))];

  scenario.each(circumstances)(
    'no-secret-anywhere',
    'no command shows a secret $what',
    async (trouble) => {
      const found: string[] = [];
      const serviceFor = servicesFor(trouble, trouble === SUCCESS ? isRead : () => true);
      for (const { name, line, command } of declared) {
        const service = serviceFor(command);
        const { answer, failed, logged, files } = await runInEngine(name, argsOf(line, command), service);
        const undeclared = withoutDeclared(answer, 'entry', command);
        const leaking = leaks(service, answer, undeclared, { 'the log': logged, 'the files': files });
        found.push(...leaking.map((leak) => `${name}: ${leak}`));
        if (failed && trouble === SUCCESS) found.push(`${name}: failed, expected a result`);
        if (!failed && trouble.fatal) found.push(`${name}: succeeded, expected a failure`);
        if (trouble === SUCCESS && logged === '') found.push(`${name}: logged nothing`);
      }
      expectNone(found, 'commands that show a secret, or end otherwise than expected');
    },
    LONG_MS,
  );

  scenario('no-secret-anywhere', 'a secret typed in the wrong place is not logged', async () => {
    for (const secret of Object.values(CANARIES)) {
      const ran = await runInEngine('aisec-runtime-customer-apps-get', { app_name: secret }, canaryService());
      expect(ran.logged).toContain('?app_name=***');
      expectNone(leaked(configured(ran.logged + ran.answer), 'log or answer'), 'secrets that are shown');
    }
  });

  scenario.each(circumstances)('no-secret-anywhere', 'the connection test shows no secret $what', async (trouble) => {
    const service = canaryService(trouble.options, trouble.wrap);
    const { answer, failed, logged, files } = await runInEngine('test-module', {}, service);
    if (trouble.fatal) expect(failed).toBe(true);
    const leaking = leaks(service, answer, answer, { 'the log': logged, 'the files': files });
    expectNone(leaking, 'secrets that are shown');
  });
});

describe('the search for secrets', () => {
  test('finds a secret in each of its forms, and nothing without a secret', () => {
    for (const secret of [...Object.values(CANARIES), ...LINE_SECRETS]) {
      const search = searchFor([secret], CLIENT);
      for (const form of formsOf(secret, CLIENT)) expect(search(`before ${form} after`)).toEqual([secret]);
      expectNone(search('before after'), 'secrets in a text without one');
    }
  });

  scenario.each([
    { name: 'aisec-runtime-api-keys-create', path: 'AiSec.ApiKeyCreate', fields: ['api_key', 'auth_code'] },
    { name: 'aisec-runtime-api-keys-regenerate', path: 'AiSec.ApiKeyRegenerate', fields: ['api_key'] },
    { name: 'aisec-redteam-registry-credentials-get', path: 'AiSec.RedTeamRegistryCredentials', fields: ['token'] },
  ])('no-secret-anywhere', '$name writes its secrets where they are declared', async ({ name, path, fields }) => {
    const service = canaryService();
    const { stdout } = await terminal.run([`!${name} ${LINES[name]}`, '--output', 'json'], service);
    const { outputs } = JSON.parse(stdout);
    const issued = [...service.issued(), ...LINE_SECRETS];
    for (const field of fields) expect(issued).toContain(outputs[path][field]);
  });

  test('finds a secret argument in logged requests and responses, under any name', async () => {
    const lines: string[] = [];
    const log = createLog({
      level: 'trace',
      stream: { write: (line) => lines.push(line) },
      secrets: () => [],
      showContent: true,
    });
    const { api } = stage([{ json: { reason: 'the given-word' }, headers: { 'x-said': 'given-word' } }], { log });
    await api({ secrets: ['given-word'] }).fetch(management.post(path`/v1/mgmt/topic`, { note: 'given-word' }));
    await log.flush();
    const shown = lines.join('');
    expect(shown).toContain('the ***');
    expect(shown).toContain('\\"note\\":\\"***\\"');
    expect(shown).not.toContain('given-word');
  });

  test('knows the names of all declared secrets, and of all prompts and responses', () => {
    const { value } = redaction({ secrets: [] });
    const secret = declared.flatMap(({ command: { args, output } }) => [
      ...Object.keys(args).filter((name) => args[name]?.secret === true),
      ...Object.keys(output.record.fields).filter((name) => {
        const field = output.record.fields[name];
        return field?.secret === true && field.show === undefined;
      }),
    ]);
    for (const name of new Set([...secret, ...SECRET_MEMBERS])) {
      expect([name, value({ [name]: 'text' })]).toEqual([name, { [name]: '***' }]);
    }
    const words = declared.flatMap(({ command: { args } }) =>
      Object.keys(args).filter((name) => args[name]?.content === true),
    );
    for (const name of new Set(words)) {
      expect(value({ [name]: 'text' })).toEqual({ [name]: '[hidden, 4 characters]' });
    }
  });
});

test('every test named in SECURITY.md exists and claims its scenarios', () => {
  const root = new URL('../../../', import.meta.url);
  const text = readFileSync(new URL('SECURITY.md', root), 'utf8');
  const named = (line: string, pattern: RegExp) => [...line.matchAll(pattern)].map(([, found = '']) => found);
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: object };
  expectNone(
    named(text, /`((?:tests|lib|docs)\/[^`]+)`/g).filter((path) => !existsSync(new URL(path, root))),
    'files that do not exist',
  );
  expectNone(
    named(text, /`npm run ([^` ]+)/g).filter((name) => !Object.hasOwn(scripts, name)),
    'scripts that do not exist',
  );
  const attacks = text.split('\n').filter((line) => /^\| (?:a|an|strangers) /.test(line));
  expectNone(
    attacks.filter((line) => named(line.split('|')[2] ?? '', /`(tests\/[^`]+)`/g).length === 0),
    'attacks without a test',
  );
  const rows = text.split('\n').filter((line) => /^\| \*\*/.test(line));
  expect(rows.length).toBeGreaterThan(8);
  for (const [, promise = '', ids = '', tests = ''] of rows.map((line) => line.split('|'))) {
    const files = named(tests, /`([^`]+)`/g).map((path) => readFileSync(new URL(path, root), 'utf8'));
    const unclaimed = named(ids, /`([^`]+)`/g).filter((id) => !files.some((file) => file.includes(`'${id}'`)));
    expect([promise, unclaimed, ids === '' || files.length === 0]).toEqual([promise, [], false]);
  }
  const known = scenarios.map(({ id }) => id);
  expect(known).toEqual(expect.arrayContaining(rows.flatMap((line) => named(line.split('|')[2] ?? '', /`([^`]+)`/g))));
});
