/** The data stored in Redis: its address, its keys, and its encryption. */

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import * as errors from '../../../lib/core/errors.ts';
import { AisecError, ConfigurationError, NetworkError, UsageError } from '../../../lib/core/errors.ts';
import { BusyError } from '../../../lib/runs/port.ts';
import { errorFrom, isPoisoned, redisError, unavailable } from '../../../lib/runs/redis/connection/redis-error.ts';
import { parseKeys, sealWith, UnreadableError } from '../../../lib/runs/redis/connection/seal.ts';
import { queueAddress } from '../../../lib/runs/redis/queue.ts';
import { otherService } from '../../../lib/runs/redis/workers/workers.ts';

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [ONE, TWO] = [newKey('one'), newKey('two')];

describe('A payload', () => {
  it.each([
    ['with a key', ONE],
    ['without a key', ''],
  ])('%s round-trips unchanged', (_what, key) => {
    const seal = sealWith(parseKeys(key));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, name) => {
        expect(seal.open(name, seal.seal(name, text))).toBe(text);
      }),
    );
  });

  it('is encrypted differently each time, and reveals nothing of its text', () => {
    const seal = sealWith(parseKeys(ONE));
    const [first, second] = [seal.seal('a', 'a secret prompt'), seal.seal('a', 'a secret prompt')];
    expect(first.equals(second)).toBe(false);
    expect(first.toString('latin1')).not.toContain('secret');
  });

  it('cannot be opened under another name or after any bit has changed', () => {
    const seal = sealWith(parseKeys(ONE));
    const sealed = seal.seal('shard-1', 'text');
    expect(() => seal.open('shard-2', sealed)).toThrow(ConfigurationError);
    for (const at of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => seal.open('shard-1', changed)).toThrow(ConfigurationError);
    }
  });

  it('with an older key opens while the key is configured, and is answered with the same key', () => {
    const [older, both] = [sealWith(parseKeys(ONE)), sealWith(parseKeys(`${TWO}, ${ONE}`))];
    const sealed = older.seal('a', 'text');
    expect(both.open('a', sealed)).toBe('text');
    expect(older.open('b', both.like(sealed).seal('b', 'answer'))).toBe('answer');
    expect(() => older.open('b', both.seal('b', 'answer'))).toThrow('encrypted with the key "two"');
    expect(() => sealWith(parseKeys(TWO)).open('a', sealed)).toThrow('AISEC_QUEUE_KEY does not have it');
    expect(() => sealWith(parseKeys('')).open('a', sealed)).toThrow('AISEC_QUEUE_KEY is not set here');
  });

  it('without encryption is refused by a process with a key', () => {
    const plain = sealWith(parseKeys('')).seal('a', 'forged');
    expect(() => sealWith(parseKeys(ONE)).open('a', plain)).toThrow('is not encrypted');
  });
});

describe('AISEC_QUEUE_KEY', () => {
  it.each(['abc', 'k1:', 'k1:c2hvcnQ=', `${ONE},${ONE}`, `a b:${ONE.slice(4)}`])(
    'refuses %j without showing it',
    (text) => {
      const thrown = (() => {
        try {
          return parseKeys(text);
        } catch (error) {
          return error;
        }
      })();
      expect(thrown).toBeInstanceOf(ConfigurationError);
      expect(JSON.stringify(thrown)).not.toContain(ONE.slice(4));
    },
  );
});

describe('The address of the queue', () => {
  it.each([
    ['redis://127.0.0.1:6379', undefined],
    ['redis://localhost', undefined],
    ['redis://[::1]:6380', undefined],
    ['rediss://user:pass@queue.example:6380', ONE],
  ])('may be %s', (url, key) => {
    expect(queueAddress({ url, key }).url).toBe(url);
  });

  it.each([
    ['redis://queue.example:6379', ONE, 'must use TLS'],
    ['redis://10.0.0.5:6379', ONE, 'must use TLS'],
    ['redis://127.0.0.1.evil.example', ONE, 'must use TLS'],
    ['rediss://queue.example:6380', undefined, 'must be encrypted'],
    ['http://127.0.0.1', undefined, 'not a Redis address'],
    ['redis://', undefined, 'not a Redis address'],
    ['nothing', undefined, 'not a Redis address'],
  ])('may not be %s', (url, key, why) => {
    expect(() => queueAddress({ url, key })).toThrow(why);
  });

  it('is shown without its password', () => {
    expect(queueAddress({ url: 'redis://user:hunter2@127.0.0.1:1' }).name).toBe('127.0.0.1:1');
  });
});

describe('An error of a worker', () => {
  it.each(
    Object.values(errors as Record<string, unknown>).filter(
      (value): value is new (message: string) => errors.AisecError =>
        typeof value === 'function' && value.prototype instanceof errors.AisecError,
    ),
  )('%p arrives with its code and exit code', (kind) => {
    const { UnexpectedError, ValidationError } = errors as Record<string, unknown>;
    if (kind === UnexpectedError || kind === ValidationError) return;
    const sent = new kind('What happened.');
    const arrived = errorFrom(sent.toJSON());
    expect(arrived.toJSON()).toEqual(sent.toJSON());
    expect(arrived.exitCode).toBe(sent.exitCode);
  });
});

const NAME = 'queue.example:6379';
const OOM = "OOM command not allowed when used memory > 'maxmemory'.";
const FULL = 'Give it more (maxmemory), or remove old work with aisec queue, and resume.';
const DISK = 'Its disk is probably full. Free disk space, then resume.';

const refusedBy = (...texts: string[]) =>
  Object.assign(new Error('EXECABORT Transaction discarded.'), {
    previousErrors: texts.map((text) => new Error(text)),
  });

describe('An error of Redis ends a bulk scan', () => {
  it.each<[Error, typeof ConfigurationError | typeof NetworkError, string, string]>([
    [new Error(OOM), ConfigurationError, `Redis at ${NAME} has no memory left.`, FULL],
    [new Error('above maxmemory'), ConfigurationError, `Redis at ${NAME} has no memory left.`, FULL],
    [refusedBy(OOM, 'READONLY'), ConfigurationError, `Redis at ${NAME} has no memory left.`, FULL],
    ...['MISCONF no disk', 'READONLY a replica', 'NOREPLICAS too few'].map(
      (text): [Error, typeof ConfigurationError, string, string] => {
        return [new Error(text), ConfigurationError, `Redis at ${NAME} refuses writes: ${text}`, DISK];
      },
    ),
    [
      new Error('It failed OOM'),
      NetworkError,
      `Redis at ${NAME} failed: It failed OOM`,
      'Start it again, then resume.',
    ],
    [new Error('not READONLY'), NetworkError, `Redis at ${NAME} failed: not READONLY`, 'Start it again, then resume.'],
    [
      Object.assign(new Error('Aborted.'), { previousErrors: ['READONLY'] }),
      NetworkError,
      `Redis at ${NAME} failed: Aborted.`,
      'Start it again, then resume.',
    ],
    [
      Object.assign(new Error('Aborted.'), { previousErrors: 'READONLY' }),
      NetworkError,
      `Redis at ${NAME} failed: Aborted.`,
      'Start it again, then resume.',
    ],
  ])('%s says what to do, and to resume', (thrown, kind, message, hint) => {
    const error = redisError(thrown, NAME);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ message, hint });
  });

  it.each(['MISCONF ', 'Strange '])('with two hundred characters of %s, not with a page', (start) => {
    const { message } = redisError(new Error(start + 'x'.repeat(1000)), NAME) as Error;
    expect(message).toHaveLength(message.indexOf(start) + 200);
  });
});

describe('A request that the queue cannot serve', () => {
  const again = 'Send the request again later.';
  it.each([
    [OOM, 'has no memory left.', `${again} Its operator must raise maxmemory.`],
    ['MISCONF no disk', 'refuses writes.', `${again} Its operator must check its disk and role.`],
    ['ECONNREFUSED', 'does not answer.', again],
  ])('because of %s may be retried', (text, what, hint) => {
    const error = unavailable(new Error(text), NAME);
    expect(error).toBeInstanceOf(BusyError);
    expect(error).toMatchObject({ message: `The queue on Redis at ${NAME} ${what}`, hint, retryable: true });
  });

  it.each([
    ['an error of aisec', new UsageError('No.')],
    ['a value that is not an error', 'text'],
  ])('keeps %s unchanged', (_what, thrown) => {
    expect([unavailable(thrown, NAME), redisError(thrown, NAME)]).toEqual([thrown, thrown]);
  });
});

describe('An error that another attempt would repeat', () => {
  it.each<[string, unknown, boolean]>([
    ['a payload that does not open', new UnreadableError('Damaged.'), true],
    ['invalid JSON', new SyntaxError('Unexpected token'), true],
    ['a key of another kind', new Error('WRONGTYPE Operation against a key'), true],
    ['a key that is missing here', new ConfigurationError('Another key.'), false],
    ['a mention of the kind', new Error('It was WRONGTYPE'), false],
    ['a text', 'WRONGTYPE', false],
  ])('is %s: %s is %s', (_what, thrown, expected) => {
    expect(isPoisoned(thrown)).toBe(expected);
  });
});

describe('An error that a worker has sent', () => {
  it.each(['of-tomorrow', 'unexpected', 'validation'])('with the code %s is an error of aisec', (code) => {
    const arrived = errorFrom({ ...new UsageError('What happened.').toJSON(), code });
    expect(arrived).toBeInstanceOf(AisecError);
    expect(arrived.message).toBe('What happened.');
  });

  it.each([
    [true, 'The workers use the simulated service, and the work is meant for a tenant.'],
    [false, 'The workers use a tenant, and the work is meant for the simulated service.'],
  ])('about the other service says which is which (a rehearsal: %s)', (simulates, message) => {
    const hint = 'Start both with --simulate, or neither.';
    expect(otherService(simulates).toJSON()).toMatchObject({ message, hint });
  });
});
