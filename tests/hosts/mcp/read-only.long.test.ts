/** A read-only server sends no request that changes anything, whatever an agent calls. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { changesNothing } from '../../../lib/client/allow.ts';
import { expectNone } from '../../support/expect-none.ts';
import { LINE_FILES } from '../../support/lines.ts';
import { runs, someOf, TEST_MS } from '../../support/runs.ts';
import { hostileText, hostileValue } from '../../system/laws/hostile.ts';
import { type Subject, subjects } from '../../system/laws/subjects.ts';
import { valuesFor } from '../../system/laws/values.ts';
import { type ConnectionOptions, closeConnectionsAfterEach, connect, type SeenRequest, watched } from './support.ts';

closeConnectionsAfterEach();

/** Requests with a body that change nothing, and the command that sends each. */
const HARMLESS: Readonly<Record<string, string>> = {
  'POST /v1/scan/sync/request': 'aisec-runtime-scan',
  'POST /ai-red-teaming/mgmt-plane/v1/target/validate-auth': 'aisec-redteam-targets-validate-auth',
  'POST /ai-red-teaming/data-plane/v1/metering/quota': 'aisec-redteam-metering-quota',
};

const nameOf = ({ method, path }: SeenRequest) => `${method} ${path}`;
const changesIn = (seen: readonly SeenRequest[]) =>
  seen.filter((request) => request.method !== 'GET' && !Object.hasOwn(HARMLESS, nameOf(request))).map(nameOf);

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const changing = subjects.filter(({ command }) => !changesNothing(command));
const DOORS = ['aisec_change', 'aisec_read', 'aisec_search', 'aisec_describe'];
const KEYS = ['__proto__', 'constructor', 'toString', 'confirm', 'dry_run', 'dryRun', 'arguments', 'command', 'wait'];

/** Values that an agent may send for a flag. */
const flag = fc.oneof(fc.constantFrom<unknown>(true, false, 'true', 'false', 'yes', 1, 0, null, {}), hostileValue);

/** A name, or a variant that a careless comparison would accept. */
const spelling = fc.constantFrom<(name: string) => unknown>(
  (name) => name,
  (name) => name,
  (name) => name,
  (name) => `!${name}`,
  (name) => ` ${name}\n`,
  (name) => name.toUpperCase(),
  (name) => [name],
  (name) => `${name}\0`,
  (name) => `\u200b${name}`,
  (name) => `aisec-runtime-scan ${name}`,
  (name) => ({ toString: name }),
);

function valuesOf({ args }: Subject['command'], name: string): fc.Arbitrary<string> {
  const argument = args[name];
  return argument === undefined ? hostileText : valuesFor(argument);
}

/** Arguments of a line that succeeds, with hostile values among them, and further members. */
function argumentsFor({ command, given }: Subject): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(command.args);
  const changes =
    names.length === 0
      ? fc.constant({})
      : fc.constantFrom(...names).chain((name) => valuesOf(command, name).map((value) => ({ [name]: value })));
  const others = fc.dictionary(fc.oneof(fc.constantFrom(...KEYS), hostileText), flag, {
    minKeys: 1,
    maxKeys: 2,
    noNullPrototype: true,
  });
  return fc
    .tuple(fc.boolean(), changes, rarely(others))
    .map(([isUsual, change, more = {}]) => (isUsual ? { ...given, ...more } : { ...given, ...change, ...more }));
}

/** Most calls have only one defect, because a call that is refused for another defect shows nothing. */
function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

/** As an object, as JSON text, within a list, or under the names of an object's prototype. */
const packing = fc.constantFrom<(value: object) => unknown>(
  (value) => value,
  (value) => value,
  (value) => JSON.stringify(value),
  (value) => [value],
  (value) => JSON.parse(`{"__proto__": ${JSON.stringify(value)}}`),
  (value) => JSON.stringify(JSON.stringify(value)),
);

const callOf = (from: readonly Subject[]): fc.Arbitrary<Call> =>
  fc.constantFrom(...from).chain((subject) =>
    fc
      .record({
        door: fc.constantFrom('aisec_change', 'aisec_read', 'aisec_change', 'aisec_read', ...DOORS, subject.name),
        spelt: rarely(spelling),
        args: argumentsFor(subject),
        packed: rarely(packing),
        confirm: fc.constantFrom(true, undefined),
        odd: rarely(fc.tuple(fc.constantFrom(...KEYS), flag)),
      })
      .map(({ door, spelt = same, args, packed = same, confirm, odd }) => {
        const more = {
          ...(confirm === undefined || door === 'aisec_read' ? {} : { confirm }),
          ...(odd === undefined ? {} : { [odd[0]]: odd[1] }),
        };
        if (!DOORS.includes(door)) return { name: textOf(spelt(door), door), args: { ...args, ...more } };
        if (door === 'aisec_search') return { name: door, args: { words: spelt(subject.name), ...more } };
        return { name: door, args: { command: spelt(subject.name), arguments: packed(args), ...more } };
      }),
  );

const same = (value: unknown) => value;

/** Calls one after the other, half of them to commands that change something. */
const sequences = fc.array(fc.oneof(callOf(changing), callOf(subjects)), { minLength: 1, maxLength: 8 });

/** A tool name is a string: the client library sends nothing else. */
const textOf = (spelt: unknown, name: string) => (typeof spelt === 'string' ? spelt : name);

async function open(options: ConnectionOptions) {
  const service = watched();
  const connection = await connect({ ...options, parts: { simulated: service.simulated } });
  for (const [name, text] of Object.entries(LINE_FILES)) writeFileSync(join(connection.folder, name), text);
  // A call that the client library refuses to send or receive has changed nothing either.
  const call = ({ name, args }: Call) => connection.call(name, args).catch(() => undefined);
  return { ...service, connection, call };
}

const SERVERS: readonly ConnectionOptions[] = [
  { readOnly: true },
  { readOnly: true, toolsets: 'all' },
  { readOnly: true, toolsets: 'all', allowSecrets: true, era: '2025-11-25' },
  { readOnly: true, capabilities: { elicitation: {} }, answer: { delete: true } },
];

test.each(SERVERS)(
  'no sequence of calls changes anything: %j',
  async (options) => {
    const { seen, call, renew } = await open(options);
    await fc.assert(
      fc.asyncProperty(sequences, async (calls) => {
        renew();
        for (const each of calls) await call(each);
        expectNone(changesIn(seen), 'requests that change something');
      }),
      runs(160, SERVERS.indexOf(options)),
    );
    // Read calls do arrive.
    renew();
    await call({ name: 'aisec_read', args: { command: 'aisec-runtime-topics-list' } });
    expect(seen.map(nameOf)).toContain('GET /aisec/v1/mgmt/topics/tsg/1000000001');
  },
  TEST_MS,
);

test('the same calls change records if changes are allowed', async () => {
  const { seen, call, renew } = await open({ readOnly: false, toolsets: 'all' });
  const changed = new Set<string>();
  for (const calls of fc.sample(sequences, { ...runs(400, 0), numRuns: 100 })) {
    renew();
    for (const each of calls) await call(each);
    for (const each of changesIn(seen)) changed.add(each);
  }
  expect(changed.size).toBeGreaterThan(30);
});

test.each(SERVERS)('no command line changes anything through any tool: %j', async (options) => {
  const { seen, call, renew } = await open(options);
  const found: string[] = [];
  const sent = new Set<string>();
  // The first server covers every command; the others divide the commands among them.
  const asked = options === SERVERS[0] ? subjects : someOf(subjects, SERVERS.indexOf(options));
  for (const { name, command, given } of asked) {
    for (const args of someOf([given, JSON.stringify(given)], 0)) {
      renew();
      for (const door of ['aisec_read', 'aisec_change']) {
        await call({ name: door, args: { command: name, arguments: args } });
        await call({ name: door, args: { command: name, arguments: args, confirm: true, dry_run: false } });
      }
      await call({ name, args: given });
      await call({ name, args: { ...given, confirm: true } });
      found.push(...changesIn(seen).map((each) => `${name}: ${each}`));
      if (!changesNothing(command)) found.push(...seen.map((each) => `${name}: sent ${nameOf(each)}`));
      for (const each of seen) sent.add(nameOf(each));
    }
  }
  expectNone(found, 'commands that change something');
  expectNone(
    Object.keys(HARMLESS).filter((each) => asked.length === subjects.length && !sent.has(each)),
    'requests that this test lets pass, and that nothing sends',
  );
  expect(changing.length).toBeGreaterThan(50);
});

const createTopic = subjects.find(({ name }) => name === 'aisec-runtime-topics-create')?.given;

test(
  'aisec_read changes nothing even if changes are allowed',
  async () => {
    const { seen, call, renew } = await open({ readOnly: false });
    const reads = sequences.map((calls) => calls.map(({ args }) => ({ name: 'aisec_read', args })));
    await fc.assert(
      fc.asyncProperty(reads, async (sequence) => {
        renew();
        for (const each of sequence) await call(each);
        expectNone(changesIn(seen), 'requests that change something');
      }),
      runs(160, SERVERS.length),
    );
    const sent: string[] = [];
    for (const { name, given } of changing) {
      renew();
      await call({ name: 'aisec_read', args: { command: name, arguments: given } });
      sent.push(...seen.map((each) => `${name}: ${nameOf(each)}`));
    }
    expectNone(sent, 'requests of commands that change something');
    // The same call through the other tool does.
    renew();
    await call({ name: 'aisec_change', args: { command: 'aisec-runtime-topics-create', arguments: createTopic } });
    expect(changesIn(seen)).toContain('POST /aisec/v1/mgmt/topic');
  },
  TEST_MS,
);
