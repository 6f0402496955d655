import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const VALUES = '!aisec-redteam-properties-values';
const CREATE = '!aisec-redteam-properties-create';
const ADD = '!aisec-redteam-properties-add-value';

const REGION = { name: 'region', values: ['europe', 'americas'] };

const anything = () => answering(() => ({ answer: {} }));

describe('reading', () => {
  requirement.each([{ args: '' }, { args: 'property_name=" " property_names=""' }])(
    'property-values-one-form',
    'neither form ($args) is refused',
    async ({ args }) => {
      const room = anything();
      expect(await room.fail(`${VALUES} ${args}`)).toMatchObject({ exitCode: 2, argument: 'property_name' });
      expectNone(room.requests, 'requests');
    },
  );

  requirement('property-values-one-form', 'refuses both forms together, and an empty list', async () => {
    const room = anything();
    const both = await room.fail(`${VALUES} property_name=a property_names=b,c`);
    expect(both).toMatchObject({ exitCode: 2, message: expect.stringContaining('together') });
    expect(await room.fail(`${VALUES} property_names=[]`)).toMatchObject({ argument: 'property_names' });
    expect(await room.fail(`${VALUES} property_names=","`)).toMatchObject({ argument: 'property_names' });
    expectNone(room.requests, 'requests');
  });

  test('an unknown name causes a note, and the known properties are listed', async () => {
    const { writes, failure } = await warRoom().run(`${VALUES} property_names=nowhere,region,never`);
    expect(writes[0]?.value).toEqual([REGION]);
    expect(failure).toMatchObject({ code: 'partial', exitCode: 10 });
    expect(failure?.message).toContain('nowhere, never');
    expect(failure?.hint).toContain('!aisec-redteam-properties-list');
  });

  test.each(['property_name=nowhere', 'property_names=nowhere,never'])(
    '%s is not found, and writes nothing',
    async (args) => {
      const error = await warRoom().fail(`${VALUES} ${args}`);
      expect(error).toMatchObject({ code: 'not-found', exitCode: 5, status: 404 });
      expect(error.hint).toContain('!aisec-redteam-properties-list');
    },
  );

  test('requests each name if a batch returns nothing', async () => {
    const room = answering(({ url }) =>
      url.includes('?') ? { status: 404, answer: { detail: 'none' } } : { answer: { values: [url.at(-1)] } },
    );
    expect(await room.value(`${VALUES} property_names=a,b`)).toEqual([
      { name: 'a', values: ['a'] },
      { name: 'b', values: ['b'] },
    ]);
  });

  test('any other failure ends the command', async () => {
    const room = answering(({ url }) => (url.endsWith('/b') ? { status: 403, answer: {} } : { answer: {} }));
    expect(await room.fail(`${VALUES} property_names=a,b`)).toMatchObject({ exitCode: 4, status: 403 });
  });
});

describe('creating', () => {
  test.each([
    { line: `${CREATE} name=region`, status: 409, hint: /exists already.*aisec-redteam-properties-add-value/ },
    { line: `${ADD} property_name=region property_value=europe`, status: 409, hint: /has this value already/ },
    { line: `${ADD} property_name=none property_value=v`, status: 404, hint: /aisec-redteam-properties-create/ },
  ])('$line is refused with HTTP $status, and the hint says what to do', async ({ line, status, hint }) => {
    const error = await warRoom().fail(line);
    expect(error).toMatchObject({ exitCode: 5, status });
    expect(error.hint).toMatch(hint);
  });

  scenario.each([{ line: `${CREATE} name=n` }, { line: `${ADD} property_name=n property_value=v` }])(
    'retry-post-never-blind',
    '$line is sent once, even if the request fails',
    async ({ line }) => {
      const room = answering(() => ({ status: 503, answer: {} }));
      const error = await room.fail(line);
      expect(error.hint).toContain('outcome is unknown');
      expect(room.requests).toHaveLength(1);
    },
  );

  test.each([
    { line: CREATE, argument: 'name', rest: '' },
    { line: ADD, argument: 'property_name', rest: 'property_value=v' },
    { line: ADD, argument: 'property_value', rest: 'property_name=n' },
  ])('$line refuses $argument when it is empty, missing or too long', async ({ line, argument, rest }) => {
    const room = anything();
    for (const given of ['', `${argument}=" "`, `${argument}=${'n'.repeat(257)}`]) {
      expect(await room.fail(`${line} ${given} ${rest}`)).toMatchObject({ exitCode: 2, argument });
    }
    expectNone(room.requests, 'requests');
  });
});
