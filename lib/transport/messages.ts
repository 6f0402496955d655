/** Messages about failed requests, shared by all transports. `host` is the host with its port. */

export function timedOutMessage(host: string, phase: string, seconds: number): string {
  return `Timed out after ${Number(seconds.toPrecision(3))} s while ${phase} ${host}.`;
}

export function refusedMessage(host: string): string {
  return `${host} refused the connection.`;
}

export function unknownNameMessage(host: string): string {
  return `The host name of ${host} could not be resolved.`;
}

export function unreachableMessage(host: string): string {
  return `There is no route to ${host}.`;
}

export function lostMessage(host: string): string {
  return `The connection to ${host} was lost before the response arrived.`;
}

/** The phase between request and response, for `timedOutMessage`. */
export const WAITING = 'waiting for the response from';
