/** Examples of the documents work on the simulated tenant when pasted. */
import { registry } from '../../../commands/index.ts';
import { PROMPTS } from '../../../fixtures/lines/red-team.ts';
import { invocationOf } from '../../../lib/client/invocation.ts';
import { dispatch } from '../../../lib/engine/dispatch.ts';
import { exampleArguments } from '../../../scripts/api/examples.ts';
import { ANY_FILE, KNOWN_VALUES } from '../../../scripts/api/known-values.ts';
import { warRoom } from '../../support/simulated.ts';
import { loadCommands } from './api-documents.ts';

const START_SCAN = 'aisec-redteam-scan-create';

beforeAll(loadCommands);

test.each(Object.keys(registry))('the example of %s works on the simulated tenant', async (name) => {
  const room = warRoom();
  room.files[ANY_FILE] = PROMPTS.text;
  const run = async (command: string) => {
    const declared = await registry[command]?.();
    if (declared === undefined) throw new Error(command);
    return dispatch(invocationOf(command, exampleArguments(declared)), registry, room.runtime);
  };
  // A scan has to be under way before it can be stopped.
  if (name === 'aisec-redteam-scan-abort') await run(START_SCAN);
  const { failure } = await run(name);
  expect(failure).toBeUndefined();
});

test('no example has a placeholder', async () => {
  const examples = (await loadCommands()).map((command) => JSON.stringify(exampleArguments(command)));
  expect(examples.filter((text) => /<\w+>|@env:|@file:/.test(text))).toEqual([]);
});

test('every known value belongs to an argument of a command', async () => {
  const commands = await loadCommands();
  const idle = Object.entries(KNOWN_VALUES).flatMap(([start, values]) => {
    const fitting = commands.filter(({ name }) => name.startsWith(start));
    return Object.keys(values)
      .filter((argument) => !fitting.some(({ args }) => argument in args))
      .map((argument) => `${start} ${argument}`);
  });
  expect(idle).toEqual([]);
});
