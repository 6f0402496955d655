/** The routes of the service, in the order of the documents. */
import type { Route } from '../route.ts';
import { COMMAND_ROUTES } from './commands.ts';
import { COMPLETION_ROUTES } from './completion.ts';
import { ENTRY_ROUTES } from './entries.ts';
import { FILE_ROUTES } from './files.ts';
import { GUARD_ROUTES } from './guard.ts';
import { PAGE_ROUTES } from './page.ts';
import { PLAYBOOK_ROUTES } from './playbooks.ts';
import { REPORT_ROUTES } from './reports.ts';
import { RUN_ROUTES } from './runs.ts';
import { SERVICE_ROUTES } from './service.ts';
import { SESSION_ROUTES } from './sessions.ts';

export const ROUTES: readonly Route[] = [
  ...GUARD_ROUTES,
  ...RUN_ROUTES,
  ...PLAYBOOK_ROUTES,
  ...SESSION_ROUTES,
  ...REPORT_ROUTES,
  ...COMPLETION_ROUTES,
  ...ENTRY_ROUTES,
  ...FILE_ROUTES,
  ...COMMAND_ROUTES,
  ...SERVICE_ROUTES,
  ...PAGE_ROUTES,
];

/** Tags of the routes. */
export const ROUTE_TAGS = [
  { name: 'catalogue', description: 'The commands that the caller may run.' },
  { name: 'guard', description: 'Decisions before a text enters or leaves an application.' },
  { name: 'runs', description: 'Work that goes on after the response: state, events, stop.' },
  { name: 'sessions', description: 'War rooms: lines that can refer to the results of earlier lines.' },
  { name: 'files', description: 'Files that arguments name, and that commands make.' },
  { name: 'playbooks', description: 'Playbooks of the platform, rehearsed task by task.' },
  { name: 'reports', description: 'Reports, comparisons and a dashboard, as HTML without scripts.' },
  { name: 'service', description: 'The service itself: documents, probes, measurements and the page of the war room.' },
];
