/** Runs a job of a GitLab pipeline as its runner does: before_script and script are one script. */
import { spawn } from 'node:child_process';
import { clockEnvironment } from '../../support/machine.ts';
import { type Ended, ended } from '../../support/program.ts';

export interface GitLabJob {
  readonly extends?: string;
  readonly image?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
  readonly artifacts?: {
    readonly when: string;
    readonly paths: readonly string[];
    readonly reports: Readonly<Record<string, string>>;
  };
}

/** Joins a job with the hidden job that it extends. */
export function extended(name: string, jobs: Readonly<Record<string, GitLabJob>>): GitLabJob {
  const job = jobs[name];
  if (job === undefined) throw new Error(`there is no job ${name}`);
  if (job.extends === undefined) return job;
  const parent = extended(job.extends, jobs);
  return { ...parent, ...job, variables: { ...parent.variables, ...job.variables } };
}

export interface GitLabRunner {
  readonly shell: 'bash' | 'sh';
  readonly folder: string;
  readonly path: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs a job. */
export function runJob(
  { variables = {}, before_script = [], script = [] }: GitLabJob,
  { shell, folder, path, environment }: GitLabRunner,
): Promise<Ended> {
  const options = shell === 'bash' ? ['-eo', 'pipefail'] : ['-e'];
  const child = spawn(shell, [...options, '-c', [...before_script, ...script].join('\n')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ HOME: folder, ...clockEnvironment(), ...variables, ...environment },
      ...{ CI: 'true', GITLAB_CI: 'true', PATH: [...path, process.env['PATH']].join(':') },
    },
  });
  return ended(child);
}
