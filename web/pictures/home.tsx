/** The first page: what to do first, and the dashboard of the tenant. */
import { Act } from '../entries/act.tsx';
import { setLine } from '../line/state.ts';
import { commands } from '../state.ts';
import { Frame } from './frame.tsx';
import { recordsOf } from './parts.tsx';

const FIRSTS = [
  { command: 'aisec-runtime-scan', title: 'Scan a prompt', text: 'See why a prompt is blocked.' },
  { command: 'aisec-redteam-scan-create', title: 'Run a red-team job', text: 'Attack a target, and get a report.' },
];

export function Home() {
  return (
    <>
      <h1>War room for AI security</h1>
      <p>Works offline, no account, nothing leaves this machine but calls to your service.</p>
      <div class="firsts">
        {FIRSTS.filter(({ command }) => commands.value.has(command)).map(({ command, title, text }) => (
          <p key={command}>
            <Act on={() => begin(command)}>{title}</Act> <span class="soft">{text}</span>
          </p>
        ))}
      </div>
      <Frame path="/v1/dashboard" title="Dashboard of the tenant" />
    </>
  );
}

/** Puts the example of a command into the room's line, for a target of the tenant. */
async function begin(command: string): Promise<void> {
  const line = `!${command} ${commands.value.get(command)?.example ?? ''}`;
  const target = /(?<=\btarget_uuid=)\S+/;
  if (!target.test(line)) return setLine(line);
  const targets = await recordsOf('aisec-redteam-targets-list', AbortSignal.timeout(5000)).catch(() => []);
  const { uuid } = targets.find(({ status }) => status === 'ACTIVE') ?? targets[0] ?? {};
  setLine(typeof uuid === 'string' ? line.replace(target, uuid) : line);
}
