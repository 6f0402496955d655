/** Describes the origin of the figures: machine, versions, date, and how to reproduce them. */
import { cpus, totalmem } from 'node:os';
import { isInstalled } from './peers.mjs';

export function describeMachine() {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`;
  const machine = `${cpus().length} cores (${first?.model.trim() || 'of no name'}), ${memory}, ${process.platform} ${process.arch}`;
  const peers = isInstalled() ? ', measured here too' : '; not installed here';
  return `## The machine

${machine}; Node ${process.version}; ${new Date().toISOString().slice(0, 10)}.

- \`npm run bench\` measures the sections below, in less than 15 minutes, on a machine that should be idle.
- \`npm run bench:peers\` installs and measures another command line for the same service${peers}.
- \`npm run bench:million\` scans a million prompts. A section that names another script has the figures of its own run.
`;
}
