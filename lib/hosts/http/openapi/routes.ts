/** Routes of the service that are not commands. */
import type { JsonSchema } from '../../../manifest/schema.ts';
import { FILE_ROUTES } from './routes-files.ts';
import { RUN_ROUTES } from './routes-runs.ts';
import { SERVICE_ROUTES } from './routes-service.ts';
import { SESSION_ROUTES } from './routes-sessions.ts';

/** Operations by path. */
export const ROUTES: Readonly<Record<string, JsonSchema>> = {
  ...RUN_ROUTES,
  ...SESSION_ROUTES,
  ...FILE_ROUTES,
  ...SERVICE_ROUTES,
};

/** Their tags. */
export const ROUTE_TAGS: readonly JsonSchema[] = [
  { name: 'catalogue', description: 'The commands that the caller may run.' },
  { name: 'runs', description: 'Work that goes on after the response: state, events, stop.' },
  { name: 'sessions', description: 'War rooms: lines that can refer to the results of earlier ones.' },
  { name: 'files', description: 'Files that arguments name, and that commands make.' },
  { name: 'playbooks', description: 'Playbooks of the platform, rehearsed task by task.' },
  { name: 'service', description: 'The service itself: documents, probes and measurements.' },
];
