/** Decides whether a failed poll ends the wait for a job. */
import { AisecError, CancelledError, NetworkError, ProxyError, TlsError } from './errors.ts';

const REQUEST_TIMEOUT = 408;

/**
 * Reports whether the next poll may succeed. A host name that is not found may come back too, because the service has
 * answered before.
 */
export function mayPass(thrown: unknown): thrown is AisecError {
  if (!(thrown instanceof AisecError) || thrown instanceof CancelledError) return false;
  if (thrown.retryable || thrown.status === REQUEST_TIMEOUT) return true;
  return thrown instanceof NetworkError && !(thrown instanceof TlsError) && !(thrown instanceof ProxyError);
}

/** Returns the warning about polls that failed. @param title of the job @param first the error of the first such poll */
export function reportOutage(title: string, first: AisecError): string {
  return `A poll of the ${title} failed, and the wait continued: ${first.message}`;
}
