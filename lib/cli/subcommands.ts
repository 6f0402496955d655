/** The subcommands, in the order of help. A new subcommand is a file and a line here. */
import type { ResultViews, Subcommands } from '../hosts/terminal/subcommand.ts';
import { apply } from './apply.ts';
import { commands } from './commands.ts';
import { compare } from './compare/compare.ts';
import { complete, completion, refresh } from './completion/completion.ts';
import { dashboard } from './dashboard/dashboard.ts';
import { doctor } from './doctor.ts';
import { explain } from './explain/explain.ts';
import { exportFile } from './export/export.ts';
import { gate } from './gate/gate.ts';
import { guard } from './guard/guard.ts';
import { help } from './help.ts';
import { init } from './init/init.ts';
import { mcp } from './mcp.ts';
import { playbook } from './playbook/playbook.ts';
import { profiles } from './profiles.ts';
import { queue } from './queue.ts';
import { report } from './report/report.ts';
import { serve } from './serve.ts';
import { simulate } from './simulate.ts';
import { topics } from './topics/topics.ts';
import { watch } from './watch/watch.ts';
import { worker } from './worker.ts';

export const SUBCOMMANDS = {
  init,
  doctor,
  profiles,
  commands,
  gate,
  guard,
  explain,
  apply,
  topics,
  export: exportFile,
  help,
  playbook,
  report,
  watch,
  compare,
  dashboard,
  completion,
  __complete: complete,
  __refresh: refresh,
  mcp,
  serve,
  worker,
  queue,
  simulate,
} satisfies Subcommands;

/** What features add to the results of commands. */
export const VIEWS: ResultViews = {
  explain: () => import('../features/explain/explained.ts'),
  pictures: () => import('./report/pictures.ts'),
};

export type SubcommandName = keyof typeof SUBCOMMANDS;
