/** Work that a process performs itself despite a queue. */
import { registry } from '../../../commands/index.ts';
import { findCommand } from '../../../lib/engine/command.ts';
import type { RunRequest } from '../../../lib/runs/port.ts';
import { needsThisProcess } from '../../../lib/runs/port.ts';
import { expectNone } from '../../support/expect-none.ts';

const commandWork = (command: string): RunRequest => ({ kind: 'command', command, args: {}, dryRun: false });

describe('A process performs itself', () => {
  it.each<[string, RunRequest, boolean]>([
    ['a bulk scan, whose shards it hands out', commandWork('aisec-runtime-bulk-scan'), true],
    ['a command that takes a file', commandWork('aisec-redteam-prompt-sets-upload'), true],
    ['a command that returns a file', commandWork('aisec-redteam-report-download'), true],
    ['a command that there is not', commandWork('aisec-nothing'), true],
    ['a line of a session', { kind: 'line', session: 's', line: '!x', dryRun: false, commands: [] }, true],
    ['a playbook', { kind: 'playbook', playbook: '', inputs: {}, dryRun: false, commands: [] }, true],
    ['no scan', commandWork('aisec-runtime-scan'), false],
    ['no red-team scan', commandWork('aisec-redteam-scan-create'), false],
  ])('%s', async (_what, work, expected) => {
    const command = work.kind === 'command' ? await findCommand(registry, work.command) : undefined;
    expect(needsThisProcess(work, command)).toBe(expected);
  });

  it('every command that is declared to download a file', async () => {
    const wrong: string[] = [];
    for (const name of Object.keys(registry)) {
      const command = await findCommand(registry, name);
      const downloads = /\bdownload:/.test(String(command?.call));
      if (downloads !== (command?.returnsFile === true)) wrong.push(name);
    }
    expectNone(wrong, 'commands');
  });
});
