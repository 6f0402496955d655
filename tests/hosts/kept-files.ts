/** A command that returns a secret once, and the files that a run leaves. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { management } from '../../lib/api/call.ts';
import { path } from '../../lib/api/path.ts';
import { text } from '../../lib/arguments/builders.ts';
import { command } from '../../lib/engine/command.ts';
import { one, record, string } from '../../lib/output/record.ts';

export const SECRET = 'canary-issued-secret';
const Issued = record('AiSec.WidgetKey', 'Key of a widget', 'name', {
  name: string('Name.'),
  key: string('The key.', { secret: true, once: true, required: true }),
});
const issue = command('aisec-widget-key', 'Issue a key.', {
  effect: 'create',
  args: { name: text('Name.', { required: true }), key: text('Key that the widget service returns.') },
  output: one(Issued),
  example: 'name=cog',
  call: (body) => management.post(path`/v1/widgets`, body),
});

/** The command, as an addition to a registry. */
export const extra = { [issue.name]: async () => issue };

/** The files of a run that it kept, in its state folder. */
export function keptIn(state: string): { path: string; mode: number; value: unknown }[] {
  const folder = join(state, 'aisec');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return names.map((name) => {
    const file = join(folder, name);
    return { path: file, mode: statSync(file).mode & 0o777, value: JSON.parse(readFileSync(file, 'utf8')) };
  });
}
