import type { Command } from '../engine/command.ts';
import type { RunRequest } from './port.ts';

/**
 * Reports whether a run must be performed in the process that received it, which has the sessions, playbooks and files.
 * A bulk scan takes files too, but its shards go to workers.
 */
export function needsThisProcess(work: RunRequest, command: Command | undefined): boolean {
  if (work.kind !== 'command' || command === undefined) return true;
  return command.returnsFile === true || Object.values(command.args).some(({ kind }) => kind === 'file');
}
