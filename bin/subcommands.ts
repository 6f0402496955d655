/** The subcommands, in the order of help. A new subcommand needs a file and a line here. */

import type { ReportPages } from '../lib/client/report-pages.ts';
import { dashboard } from '../lib/features/dashboard/terminal/dashboard.ts';
import { explain } from '../lib/features/explain/terminal/explain.ts';
import { gate } from '../lib/features/gate/terminal/gate.ts';
import { exportFile } from '../lib/features/guardrails/terminal/export/export.ts';
import { apply } from '../lib/features/guardrails/terminal/plan/apply.ts';
import { profiles } from '../lib/features/guardrails/terminal/profiles.ts';
import { compare } from '../lib/features/report/terminal/compare.ts';
import { report } from '../lib/features/report/terminal/report.ts';
import { topics } from '../lib/features/topics/terminal/topics.ts';
import { watch } from '../lib/features/watch/terminal/watch.ts';
import type { ResultViews, Subcommands } from '../lib/hosts/terminal/line/subcommand.ts';
import { commands } from '../lib/hosts/terminal/shell/commands.ts';
import { complete, completion, refresh } from '../lib/hosts/terminal/shell/completion/completion.ts';
import { doctor } from '../lib/hosts/terminal/shell/doctor.ts';
import { guard } from '../lib/hosts/terminal/shell/guard/guard.ts';
import { help } from '../lib/hosts/terminal/shell/help.ts';
import { init } from '../lib/hosts/terminal/shell/init/init.ts';
import type { Program } from '../lib/hosts/terminal/shell/main.ts';
import { mcp } from '../lib/hosts/terminal/shell/mcp.ts';
import { playbook } from '../lib/hosts/terminal/shell/playbook/playbook.ts';
import { queue } from '../lib/hosts/terminal/shell/queue.ts';
import { serve } from '../lib/hosts/terminal/shell/serve.ts';
import { simulate } from '../lib/hosts/terminal/shell/simulate.ts';
import { worker } from '../lib/hosts/terminal/shell/worker.ts';

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

/** Features' additions to the results of commands. */
const VIEWS: ResultViews = {
  explain: () => import('../lib/features/explain/explained.ts'),
  pictures: () => import('../lib/features/scans/pictures.ts'),
};

/** Features' pages, which the service shows. */
const REPORT_PAGES: ReportPages = {
  report: async (...parts) => (await import('../lib/features/report/scan-page.ts')).reportOf(...parts),
  comparison: async (...parts) => (await import('../lib/features/report/scan-page.ts')).comparisonOf(...parts),
  dashboard: async (...parts) => (await import('../lib/features/dashboard/tenant-page.ts')).tenantPage(...parts),
  room: async (...parts) => (await import('../lib/features/report/room-page.ts')).roomPage(...parts),
};

/** Features' parts that the terminal's `main()` receives. */
export const PROGRAM: Program = { subcommands: SUBCOMMANDS, views: VIEWS, reportPages: REPORT_PAGES };

export type SubcommandName = keyof typeof SUBCOMMANDS;
