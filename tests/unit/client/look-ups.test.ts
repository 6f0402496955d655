import { simulated } from '../../../bin/simulated.ts';
import { registry as commands } from '../../../commands/index.ts';
import { parseLine } from '../../../lib/client/argv.ts';
import { clientOf } from '../../../lib/client/client.ts';
import { findCommand } from '../../../lib/runtime/engine/command.ts';
import { dispatch, dispatchFound } from '../../../lib/runtime/engine/dispatch.ts';
import { countedRegistry } from '../../support/counted-registry.ts';
import { TEST_TIME, warRoom } from '../../support/simulated.ts';

const NAME = 'aisec-runtime-topics-list';
const LINE = `!${NAME} limit=1`;

const { registry, loads } = countedRegistry();
const client = clientOf<object>({ registry, simulated, catalogue: () => [] }, { simulate: { now: TEST_TIME } });
beforeEach(() => loads.splice(0));
afterAll(() => client.close());

const watching = client.limited({
  watch: async ({ command }, run) => {
    expect(command?.name).toBe(NAME);
    return run();
  },
});
const masking = client.limited({ hideSecrets: true, allow: { readOnly: true } });

test.each([
  ['a call', () => client.call(NAME, { limit: 1 })],
  ['a line', () => client.line(LINE)],
  ['a line of a session', () => client.session().line(LINE)],
  ['a command of a session', () => (client.session().run as (name: string) => Promise<unknown>)(NAME)],
  ['a watched call', () => watching.call(NAME)],
  ['a restricted call that hides secrets', () => masking.call(NAME)],
  ['a check of arguments', () => client.verify(NAME)],
  ['a dispatched line', () => dispatch(parseLine(LINE), registry, warRoom().runtime)],
])('loads the command of %s once', async (_, run) => {
  await run();
  expect(loads).toEqual([NAME]);
});

test.each([
  ['a call', 'call', NAME],
  ['a line', 'line', LINE],
] as const)('loads no command for %s if the host has already loaded it', async (_, method, input) => {
  const command = await findCommand(commands, NAME);
  if (method === 'line') await client.line(input, { command });
  else await client.call(input, {}, { command });
  await dispatchFound(command as NonNullable<typeof command>, parseLine(LINE), warRoom().runtime);
  expect(loads).toEqual([]);
});

test('refuses an unknown command with a near name at every entry point', async () => {
  const refused = {
    message: 'There is no command "aisec-runtime-topics-lst".',
    hint: `Did you mean "!${NAME}"?`,
    command: 'aisec-runtime-topics-lst',
  };
  await expect(client.call('aisec-runtime-topics-lst')).rejects.toMatchObject(refused);
  await expect(client.verify('aisec-runtime-topics-lst')).rejects.toMatchObject(refused);
  await expect(dispatch(parseLine('!aisec-runtime-topics-lst'), registry, warRoom().runtime)).rejects.toMatchObject(
    refused,
  );
});
