import { findCommand, type Registry } from '../engine/command.ts';
import type { RunRequest } from './port.ts';

/**
 * Reports whether a run must be performed in the process that received it, which has the sessions, playbooks and files.
 * A bulk scan takes files too, but its shards go to workers.
 */
export async function needsThisProcess(registry: Registry, work: RunRequest): Promise<boolean> {
  if (work.kind !== 'command') return true;
  const command = await findCommand(registry, work.command);
  if (command === undefined) return true;
  return command.returnsFile === true || Object.values(command.args).some(({ kind }) => kind === 'file');
}
