import { findCommand, type Registry } from '../engine/command.ts';
import type { RunRequest } from './port.ts';

/**
 * Reports whether work must be done in the process that was asked: sessions, playbooks and files are its own. A bulk scan
 * takes files too; its shards go to others all the same.
 */
export async function needsThisProcess(registry: Registry, work: RunRequest): Promise<boolean> {
  if (work.kind !== 'command') return true;
  const command = await findCommand(registry, work.command);
  if (command === undefined) return true;
  return command.returnsFile === true || Object.values(command.args).some(({ kind }) => kind === 'file');
}
