/**
 * Compares aisec with the public TypeScript command line for the same service, which is installed in its own folder and
 * configured for the simulated service only.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { bulkRow, bulkTable, inBulk, inLoop, SERIAL, served, writePrompts } from './bulk.mjs';
import { interleaved, SCAN } from './cold-start.mjs';
import { measuredOn, spread, table, timeOf } from './measure.mjs';
import { AISEC, costOf, LATENCY_NOTE, NONE, REAL, withServices } from './processes.mjs';

const PEER = { name: '@cdot65/prisma-airs-cli', version: '7.0.1', program: 'dist/cli/index.js' };
const FOLDER = join(ROOT, 'node_modules', '.cache', 'aisec', 'peers');
const PLACE = join(FOLDER, 'node_modules', ...PEER.name.split('/'));
const PROGRAM = join(PLACE, ...PEER.program.split('/'));
/** Rounds of bulk scans; the other program polls every five seconds. */
const ROUNDS = 3;
/** Batch sizes of the other program: its default, and the fastest. */
const BATCHES = [
  { title: 'the other command line, defaults', args: [] },
  { title: `the other command line, --batch-size ${SERIAL}`, args: ['--batch-size', String(SERIAL)] },
];

/** Tells whether the measured version is installed. */
export function isInstalled() {
  const file = join(PLACE, 'package.json');
  return existsSync(PROGRAM) && JSON.parse(readFileSync(file, 'utf8')).version === PEER.version;
}

/** Installs it on first use. @throws if the package registry cannot be reached */
export function installPeers() {
  if (isInstalled()) return;
  mkdirSync(FOLDER, { recursive: true });
  // With its own package.json, npm treats this folder as a project.
  writeFileSync(join(FOLDER, 'package.json'), `${JSON.stringify({ name: 'peers', private: true })}\n`);
  const args = ['install', '--save-exact', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, stderr, error } = spawnSync('npm', [...args, `${PEER.name}@${PEER.version}`], {
    cwd: FOLDER,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status === 0 && isInstalled()) return;
  throw new Error(`${PEER.name}@${PEER.version} cannot be installed: ${error?.message ?? stderr.trim()}`);
}

export async function measurePeers() {
  return withServices(async (bench) => {
    const cold = await coldStarts(bench);
    const bulk = await bulkScans(bench);
    const note = `The public TypeScript command line for the same service, version ${PEER.version} (\`scripts/bench/peers.mjs\` names it), installed by
\`npm run bench:peers\` in a folder of its own, and configured for the simulated service. Both programs do the same work
with the same service, in interleaved rounds.`;
    return `## Comparison with another command line

${note}

An empty process (\`node -e 0\`) is 1. ${measuredOn()}

${cold}
${SERIAL} prompts. ${LATENCY_NOTE}
The loop, in one process and run once, is 1. The other command line sends the prompts of a batch, waits for their results, polls every five
seconds, and then sends the next batch: its default is 25 prompts, and a batch of all of them is its fastest setting.

${bulk}`;
  });
}

async function coldStarts(bench) {
  const service = await bench.openService(NONE);
  const environment = { ...service.settings, ...tenantOf(service.settings, bench.folder) };
  const pairs = [
    { title: '`--version`', ours: ['--version'], theirs: ['--version'] },
    { title: 'one scan', ours: [SCAN], theirs: ['runtime', 'scan', '--profile', 'prod', 'hello'] },
    {
      title: 'a list of topics',
      ours: ['!aisec-runtime-topics-list limit=50'],
      theirs: ['--output', 'json', 'runtime', 'topics', 'list', '--limit', '50'],
    },
  ];
  const program = (file, args) => ({ time: () => timeOf([process.execPath, file, ...args], environment) });
  const found = await interleaved(
    pairs.flatMap(({ ours, theirs }) => [program(AISEC, ours), program(PROGRAM, theirs)]),
  );
  await service.close();
  const rows = pairs.map(({ title }, index) => {
    const [ours, theirs] = found.slice(index * 2, index * 2 + 2);
    const times = theirs.times.map((time, round) => time / ours.times[round]);
    return [title, spread(ours.ratios), spread(theirs.ratios), spread(times, 1)];
  });
  return table(['command', 'aisec', 'the other command line', 'the other, relative to aisec'], rows);
}

async function bulkScans(bench) {
  const serial = await inLoop(bench);
  const found = [...BATCHES.map(() => []), []];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { args }] of BATCHES.entries()) found[index].push(await theirBulk(bench, args, round));
    found.at(-1).push(await inBulk(bench, SERIAL, REAL));
  }
  const titles = [...BATCHES.map(({ title }) => title), 'aisec'];
  const rows = titles.map((title, index) => bulkRow(title, found[index], serial));
  return bulkTable([bulkRow('a loop around the single scan, aisec', [serial], serial), ...rows]);
}

async function theirBulk(bench, args, round) {
  return served(bench, REAL, async (settings) => {
    const { folder } = bench;
    const environment = tenantOf(settings, folder);
    const results = join(folder, `results-${round}.csv`);
    const file = await writePrompts(join(folder, 'peer.txt'), SERIAL, (prompt) => prompt);
    const bulk = ['runtime', 'bulk-scan', '--profile', 'prod', '--file', file, '--output-file', results, ...args];
    const cost = await costOf([PROGRAM, ...bulk], { environment, folder });
    const verdicts = readFileSync(results, 'utf8').match(/"(?:allow|block)"/g) ?? [];
    if (verdicts.length !== SERIAL) throw new Error(`the other command line has ${verdicts.length} verdicts`);
    return { ...cost, prompts: SERIAL };
  });
}

/** Writes its configuration: a file for the tenant, and a list of tenants. @returns its environment variables */
function tenantOf(settings, folder) {
  const configPath = join(folder, 'tenant.json');
  const register = join(folder, 'tenants.json');
  const tenant = {
    airsApiKey: settings.AISEC_RUNTIME_API_KEY,
    airsApiEndpoint: settings.AISEC_SCANNER_BASE_URL,
    mgmtClientId: settings.AISEC_CLIENT_ID,
    mgmtClientSecret: settings.AISEC_CLIENT_SECRET,
    mgmtTsgId: settings.AISEC_TSG_ID,
    mgmtEndpoint: `${settings.AISEC_BASE_URL}/aisec`,
    mgmtTokenEndpoint: settings.AISEC_TOKEN_URL,
    dataDir: join(folder, 'runs'),
  };
  const tenants = [{ name: 'bench', configPath, tsgId: settings.AISEC_TSG_ID }];
  writeFileSync(configPath, JSON.stringify(tenant));
  writeFileSync(register, JSON.stringify({ version: 1, active: 'bench', tenants }));
  return { PRISMA_AIRS_TENANTS_PATH: register, HOME: folder };
}
