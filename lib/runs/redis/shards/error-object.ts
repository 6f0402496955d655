/** Errors that cross processes: a worker's error becomes one of the same class here. */
import * as errors from '../../../core/errors.ts';
import { BusyError } from '../../port.ts';

type Kind = new (message: string, details?: errors.ErrorDetails) => errors.AisecError;

const { AisecError } = errors;

/** Classes by their codes. */
const KINDS: ReadonlyMap<string, Kind> = new Map(
  [...(Object.values(errors) as readonly unknown[]), BusyError].filter(isKind).map((kind) => [new kind('').code, kind]),
);

/** A list of problems, and the frames of a bug, do not cross processes. */
function isKind(value: unknown): value is Kind {
  const isOther = value === errors.ValidationError || value === errors.UnexpectedError;
  return typeof value === 'function' && value.prototype instanceof AisecError && !isOther;
}

/** Returns the error of a worker. */
export function errorFrom({ code, message, ...details }: errors.ErrorObject): errors.AisecError {
  return new (KINDS.get(code) ?? AisecError)(message, details);
}
