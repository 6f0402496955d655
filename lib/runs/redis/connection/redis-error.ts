/**
 * Converts Redis errors: for a bulk scan that can be resumed, or for a request that can be sent again. Restores the
 * class of worker errors.
 */
import * as errors from '../../../core/errors.ts';
import { BusyError } from '../../port.ts';
import { isRefusal, RIGHTS_HINT } from './permissions.ts';
import { UnreadableError } from './seal.ts';

const { AisecError, ConfigurationError, NetworkError } = errors;

const FULL = /^OOM|maxmemory/;
const READ_ONLY = /^(?:MISCONF|READONLY|NOREPLICAS)/;

/** Returns the error of a bulk scan that Redis interrupted; the scan can be resumed. */
export function redisError(thrown: unknown, name: string): unknown {
  if (thrown instanceof AisecError || !(thrown instanceof Error)) return thrown;
  const text = causeOf(thrown);
  if (FULL.test(text)) {
    return new ConfigurationError(`Redis at ${name} has no memory left.`, {
      hint: 'Give it more (maxmemory), or remove old work with aisec queue, and resume.',
    });
  }
  if (READ_ONLY.test(text)) {
    return new ConfigurationError(`Redis at ${name} refuses writes: ${text.slice(0, 200)}`, {
      hint: 'Its disk is probably full. Free disk space, then resume.',
    });
  }
  if (isRefusal(text)) {
    return new ConfigurationError(`Redis at ${name} refuses this client: ${text.slice(0, 200)}`, { hint: RIGHTS_HINT });
  }
  return new NetworkError(`Redis at ${name} failed: ${text.slice(0, 200)}`, { hint: 'Start it again, then resume.' });
}

/** Returns the error of a request that the queue cannot serve now; no part of the request is carried out later. */
export function unavailable(thrown: unknown, name: string): unknown {
  if (thrown instanceof AisecError || !(thrown instanceof Error)) return thrown;
  const text = causeOf(thrown);
  const [what, hint] = FULL.test(text)
    ? ['has no memory left', ' Its operator must raise maxmemory.']
    : READ_ONLY.test(text)
      ? ['refuses writes', ' Its operator must check its disk and role.']
      : isRefusal(text)
        ? ['refuses this service', ' Its operator must check the rights of its user.']
        : ['does not answer', ''];
  return new BusyError(`The queue on Redis at ${name} ${what}.`, {
    hint: `Send the request again later.${hint}`,
    retryable: true,
  });
}

/** Returns the message of an error; for a transaction, the message about the first command that Redis refused. */
function causeOf(error: Error): string {
  const earlier = 'previousErrors' in error && Array.isArray(error.previousErrors) ? error.previousErrors : [];
  const [first = error] = earlier.filter((each) => each instanceof Error);
  return first.message;
}

/** Reports whether another attempt would fail the same way: for an unreadable payload, or a key of another kind. */
export function isPoisoned(thrown: unknown): thrown is Error {
  if (thrown instanceof UnreadableError || thrown instanceof SyntaxError) return true;
  return thrown instanceof Error && thrown.message.startsWith('WRONGTYPE');
}

/** Treats a key that aisec did not write as empty. @throws any other error */
export function unlessPoisoned(thrown: unknown): undefined {
  if (!isPoisoned(thrown)) throw thrown;
}

type Kind = new (message: string, details?: errors.ErrorDetails) => errors.AisecError;

/** Error classes by code. */
const KINDS: ReadonlyMap<string, Kind> = new Map(
  [...(Object.values(errors) as readonly unknown[]), BusyError].filter(isKind).map((kind) => [new kind('').code, kind]),
);

/** Problem lists and stack frames do not cross process boundaries. */
function isKind(value: unknown): value is Kind {
  const isOther = value === errors.ValidationError || value === errors.UnexpectedError;
  return typeof value === 'function' && value.prototype instanceof AisecError && !isOther;
}

/** Rebuilds an error that a worker reported. */
export function errorFrom({ code, message, ...details }: errors.ErrorObject): errors.AisecError {
  return new (KINDS.get(code) ?? AisecError)(message, details);
}
