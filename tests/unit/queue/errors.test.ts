/** Errors of Redis, as a user of a bulk scan, a caller of the service, and a worker read them. */
import { AisecError, ConfigurationError, NetworkError, UsageError } from '../../../lib/core/errors.ts';
import { BusyError } from '../../../lib/runs/port.ts';
import { errorFrom, isPoisoned, redisError, unavailable } from '../../../lib/runs/redis/connection/redis-error.ts';
import { UnreadableError } from '../../../lib/runs/redis/connection/seal.ts';
import { otherService } from '../../../lib/runs/redis/workers/workers.ts';

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
    ['what is no error', 'text'],
  ])('keeps %s as it is', (_what, thrown) => {
    expect([unavailable(thrown, NAME), redisError(thrown, NAME)]).toEqual([thrown, thrown]);
  });
});

describe('What another attempt would meet again', () => {
  it.each<[string, unknown, boolean]>([
    ['a payload that does not open', new UnreadableError('Damaged.'), true],
    ['JSON that is none', new SyntaxError('Unexpected token'), true],
    ['a key of another kind', new Error('WRONGTYPE Operation against a key'), true],
    ['a key that is missing here', new ConfigurationError('Another key.'), false],
    ['a mention of the kind', new Error('It was WRONGTYPE'), false],
    ['a text', 'WRONGTYPE', false],
  ])('is %s: %s is %s', (_what, thrown, expected) => {
    expect(isPoisoned(thrown)).toBe(expected);
  });
});

describe('An error that a worker has sent', () => {
  it.each([
    ['a full queue', new BusyError('Full.', { hint: 'Later.' }), BusyError],
    ['a failure of the network', new NetworkError('Away.', { hint: 'Later.', sent: false }), NetworkError],
  ])('about %s is of the same class here, with its hint', (_what, sent, kind) => {
    const arrived = errorFrom(sent.toJSON());
    expect(arrived).toBeInstanceOf(kind);
    expect(arrived.toJSON()).toEqual(sent.toJSON());
  });

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
