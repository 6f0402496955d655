/** The subcommands, in the order of help. A new subcommand is a file and a line here. */

import { dashboard } from '../../../features/dashboard/terminal/dashboard.ts';
import { explain } from '../../../features/explain/terminal/explain.ts';
import { gate } from '../../../features/gate/terminal/gate.ts';
import { exportFile } from '../../../features/guardrails/terminal/export/export.ts';
import { apply } from '../../../features/guardrails/terminal/plan/apply.ts';
import { compare } from '../../../features/report/terminal/compare.ts';
import { report } from '../../../features/report/terminal/report.ts';
import { topics } from '../../../features/topics/terminal/topics.ts';
import { watch } from '../../../features/watch/terminal/watch.ts';
import type { ResultViews, Subcommands } from '../line/subcommand.ts';
import { commands } from './commands.ts';
import { complete, completion, refresh } from './completion/completion.ts';
import { doctor } from './doctor.ts';
import { guard } from './guard/guard.ts';
import { help } from './help.ts';
import { init } from './init/init.ts';
import { mcp } from './mcp.ts';
import { playbook } from './playbook/playbook.ts';
import { profiles } from './profiles.ts';
import { queue } from './queue.ts';
import { serve } from './serve.ts';
import { simulate } from './simulate.ts';
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
  explain: () => import('../../../features/explain/explained.ts'),
  pictures: () => import('../../../features/scans/pictures.ts'),
};

export type SubcommandName = keyof typeof SUBCOMMANDS;
