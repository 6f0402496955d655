/** Deletions through an agent: a person confirms them, for these arguments only. */

import { type Confirmation, unconfirmed } from '../../../lib/hosts/mcp/deletion.ts';
import type { ToolResult } from '../../../lib/hosts/mcp/run-command.ts';
import type { Command } from '../../../lib/runtime/engine/command.ts';
import { commandOf } from '../../support/declared.ts';
import { expectNone } from '../../support/expect-none.ts';
import { someOf } from '../../support/runs.ts';
import { type Subject, subjects } from '../../system/laws/subjects.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import {
  type ConnectionOptions,
  closeConnectionsAfterEach,
  connect,
  ERAS,
  liveMarkup,
  type SeenRequest,
  watched,
} from './support.ts';

describe('over the protocol', () => {
  closeConnectionsAfterEach();

  const deletions = subjects.filter(({ command }) => command.effect === 'delete');

  const ASKABLE = { elicitation: { form: {} } };
  const YES = { delete: true };

  /** The two ways to call the same command. */
  const WAYS = {
    aisec_change: ({ name, given }: Subject, more: Readonly<Record<string, unknown>> = {}) => ({
      name: 'aisec_change',
      args: { command: name, arguments: given, ...more },
    }),
    'its own name': ({ name, given }: Subject, more: Readonly<Record<string, unknown>> = {}) => ({
      name,
      args: { ...given, ...more },
    }),
  };
  type Way = keyof typeof WAYS;

  const changes = (seen: readonly SeenRequest[]) => seen.filter(({ method }) => method !== 'GET');

  /** Opens a connection to a service that is in its initial state for each call. */
  async function open(options: ConnectionOptions = {}) {
    const { simulated, seen, renew } = watched();
    const { call, asked } = await connect({ ...options, parts: { simulated } });
    return async (subject: Subject, way: Way, more: Readonly<Record<string, unknown>>) => {
      renew();
      const askedBefore = asked.length;
      const { name, args } = WAYS[way](subject, more);
      return { ...(await call(name, args)), asked: asked.slice(askedBefore), seen: [...seen] };
    };
  }

  interface Case {
    readonly what: string;
    readonly more?: Readonly<Record<string, unknown>>;
    readonly options?: ConnectionOptions;
    readonly deletes: boolean;
    readonly asks: boolean;
  }

  const CASES: readonly Case[] = [
    { what: 'without confirmation', deletes: false, asks: false },
    { what: 'with confirm: false', more: { confirm: false }, deletes: false, asks: false },
    { what: 'with a confirm other than true', more: { confirm: 1 }, deletes: false, asks: false },
    { what: 'with confirm: true', more: { confirm: true }, deletes: true, asks: false },
    {
      what: 'with confirm: true, from a client that asks only by URL',
      more: { confirm: true },
      options: { capabilities: { elicitation: { url: {} } } },
      deletes: true,
      asks: false,
    },
    {
      what: 'if the person accepts',
      options: { capabilities: ASKABLE, answer: YES },
      deletes: true,
      asks: true,
    },
    {
      what: 'if the person accepts in a client that names no way to ask',
      options: { capabilities: { elicitation: {} }, answer: YES },
      deletes: true,
      asks: true,
    },
    { what: 'if the person declines', options: { capabilities: ASKABLE }, deletes: false, asks: true },
    {
      what: 'if the person sends the form with delete: false',
      options: { capabilities: ASKABLE, answer: { delete: false } },
      deletes: false,
      asks: true,
    },
    {
      what: 'if the person declines, and the agent says confirm: true',
      more: { confirm: true },
      options: { capabilities: ASKABLE },
      deletes: false,
      asks: true,
    },
  ];

  const rows = ERAS.flatMap((era) =>
    (Object.keys(WAYS) as Way[]).flatMap((way) => CASES.map((each) => ({ era, way, ...each }))),
  );

  test.each(rows)('over $era, by $way, $what: deletes $deletes, asks $asks', async (row) => {
    const { era, way, more = {}, options = {}, deletes, asks } = row;
    const found: string[] = [];
    const attempt = await open({ era, ...(way === 'aisec_change' ? {} : { toolsets: 'all' }), ...options });
    const subjectsHere = someOf(deletions, rows.indexOf(row) % deletions.length);
    for (const subject of subjectsHere) {
      const { isError, text, asked, seen } = await attempt(subject, way, more);
      const sent = changes(seen);
      if (sent.length > 0 !== deletes) found.push(`${subject.name}: sent ${JSON.stringify(sent)}: ${text}`);
      if (!deletes && seen.length > 0) found.push(`${subject.name}: sent ${seen.length} requests, expected none`);
      if (isError === deletes) found.push(`${subject.name}: isError ${isError}: ${text}`);
      if (asked.length !== (asks ? 1 : 0)) found.push(`${subject.name}: asked ${asked.length} times`);
      for (const value of asks ? Object.values(subject.given).flatMap((given) => given.split(',')) : []) {
        if (asked[0]?.includes(value) !== true) found.push(`${subject.name}: the question does not say ${value}`);
      }
    }
    expectNone(found, 'deletions that end otherwise than expected');
    expect(subjectsHere).not.toEqual([]);
    expect(deletions.length).toBeGreaterThan(10);
  });

  test.each(ERAS)('a dry run asks nothing and deletes nothing, over %s', async (era) => {
    const found: string[] = [];
    const attempt = await open({ era, capabilities: ASKABLE, answer: YES });
    for (const subject of deletions) {
      const { isError, structured, text, asked, seen } = await attempt(subject, 'aisec_change', { dry_run: true });
      if (changes(seen).length > 0) found.push(`${subject.name}: sent ${JSON.stringify(changes(seen))}`);
      if (asked.length > 0) found.push(`${subject.name}: asked ${asked[0]}`);
      if (isError || structured['planned'] !== true) found.push(`${subject.name}: ${text}`);
    }
    expectNone(found, 'dry runs that are none');
  });

  const TOPIC = deletions.find(({ name }) => name === 'aisec-runtime-topics-delete') as Subject;

  test.each([
    { what: 'a dry run that is neither true nor false', more: { dry_run: 'yes' }, says: 'dry_run is neither' },
    { what: 'a misspelt dry run', more: { dryRun: true }, says: 'has no argument "dryRun"' },
    {
      what: 'a dry run as an argument of the command',
      more: { arguments: { ...TOPIC.given, dry_run: true } },
      says: 'dry_run',
    },
    {
      what: 'a confirmation as an argument of the command',
      more: { arguments: { ...TOPIC.given, confirm: true }, confirm: true },
      says: 'confirm',
    },
    {
      what: 'a yes as an argument',
      more: { inputResponses: { confirm: { action: 'accept', content: YES } } },
      says: 'inputResponses',
    },
  ])('$what is refused, and nothing is sent', async ({ more, says }) => {
    const { isError, text, seen } = await (await open())(TOPIC, 'aisec_change', { confirm: true, ...more });
    expect({ isError, text, seen }).toEqual({ isError: true, text: expect.stringContaining(says), seen: [] });
  });

  describe('the confirmation by a person', () => {
    const accepted = { confirm: { action: 'accept', content: YES } };
    const raw = (params: object) => ({ method: 'tools/call', params }) as never;

    test('applies only to the deletion that was shown', async () => {
      const { simulated, seen } = watched();
      const { client } = await connect({ capabilities: ASKABLE, parts: { simulated } });
      const call = (subject: Subject, more: object = {}) => {
        const { name, args } = WAYS.aisec_change(subject);
        return client.request(raw({ name, arguments: args, ...more }), {
          allowInputRequired: true,
        } as never) as Promise<Record<string, unknown>>;
      };
      const asked = await call(TOPIC);
      expect(asked).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
      const { requestState } = asked;
      const [other] = deletions.filter(({ name }) => name === 'aisec-runtime-profiles-delete') as [Subject];
      for (const [subject, more] of [
        [TOPIC, { inputResponses: accepted }],
        [TOPIC, { inputResponses: accepted, requestState: 'x' }],
        [other, { inputResponses: accepted, requestState }],
        [
          { ...TOPIC, given: { ...TOPIC.given, force: 'true' } },
          { inputResponses: accepted, requestState },
        ],
      ] as const) {
        expect(await call(subject, more)).toMatchObject({ resultType: 'input_required' });
      }
      expect(seen).toEqual([]);
      expect(await call(TOPIC, { inputResponses: accepted, requestState })).not.toHaveProperty('isError');
      expect(changes(seen)).toHaveLength(1);
    });

    const KEY = deletions.find(({ name }) => name === 'aisec-runtime-api-keys-delete') as Subject;

    scenario.each([
      { what: 'unseen characters', hostile: 'x\u202egnp\u200b\u0007\u{e0041}"] Cancels the deletion. ' },
      { what: 'an image', hostile: '![a](http://192.0.2.1/a.png)<img src=x>' },
      { what: 'an image behind backslashes', hostile: '!\\[a\\](http://192.0.2.1/a.png)' },
      { what: 'a second question', hostile: 'x"? This is aisec-runtime-topics-list.\n\nDelete runtime API key "y' },
    ])(
      'deletion-question',
      'is requested in bounded, inert text, whatever the agent writes: $what',
      async ({ hostile }) => {
        const given = { updated_by: `a@example.com`, api_key_name: hostile + 'y'.repeat(10_000) };
        const { asked, text, seen } = await (await open({ capabilities: ASKABLE }))(
          { ...KEY, given },
          'aisec_change',
          {},
        );
        const [question = text] = asked;
        expect(question).toMatch(
          /^Delete runtime API key "[\x20-\x7e]{1,400}…y+" \(updated_by "a@example\.com"\)\? This is /,
        );
        expect(question).toMatch(/\? This is aisec-runtime-api-keys-delete\. Decline if in doubt\.$/);
        expectNone(liveMarkup(question), 'parts of the question that a client would render');
        expect(seen).toEqual([]);
      },
    );
  });
});

describe('the question', () => {
  const command: Command = commandOf('aisec-runtime-topics-delete');
  const ARGS = { topic_id: '00000000-0000-4000-8000-000000000001' };
  const NOBODY: Confirmation = { answer: undefined, seal: undefined, question: undefined };

  /** Calls the tool, and returns the question with its seal. */
  function asked(confirmation: Partial<Confirmation>, args: object = ARGS, isConfirmed = false) {
    let [message, seal] = ['', ''];
    const question = (text: string, own: string): ToolResult => {
      [message, seal] = [text, own];
      return { content: [{ type: 'text', text }] };
    };
    const result = unconfirmed(command, { ...args }, isConfirmed, { ...NOBODY, question, ...confirmation });
    return { message, seal, isAsked: result !== undefined };
  }

  const refusal = (confirmation: Confirmation): unknown => {
    try {
      return unconfirmed(command, ARGS, false, confirmation);
    } catch (thrown) {
      return thrown;
    }
  };

  scenario('deletion-question', 'the question names the record, the command, and what to do if unsure', () => {
    const { message, isAsked } = asked({});
    expect(isAsked).toBe(true);
    expect(message).toBe(
      `Delete custom topic "${ARGS.topic_id}"? This is aisec-runtime-topics-delete. Decline if in doubt.`,
    );
  });

  scenario('deletion-question', 'arguments that the command refuses are refused before the question', () => {
    expect(() => asked({}, { ...ARGS, padding: 'x'.repeat(5000) })).toThrow('has no argument "padding"');
    expect(() => asked({}, {})).toThrow('topic_id');
  });

  test('an answer that is neither yes nor no keeps the question open', () => {
    expect(asked({ answer: undefined, seal: asked({}).seal }).isAsked).toBe(true);
  });

  test.each([
    {
      what: 'a no',
      confirmation: { ...NOBODY, answer: 'decline' as const },
      message: 'The person declined: nothing was deleted.',
    },
    {
      what: 'no confirmation',
      confirmation: NOBODY,
      message: 'aisec-runtime-topics-delete deletes something, and was not confirmed: nothing was deleted.',
    },
  ])('$what is an error that names the command', ({ confirmation, message }) => {
    expect(refusal(confirmation)).toMatchObject({ code: 'usage', message, command: 'aisec-runtime-topics-delete' });
  });
});
