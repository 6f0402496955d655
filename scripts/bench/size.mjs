/** Measures an installation for production: its packages, and the program itself. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../build.mjs';
import { ROOT } from '../root.mjs';
import { table } from './measure.mjs';

const PURPOSES = {
  ajv: 'validates arguments against their JSON schemas; the build precompiles the validators',
  ky: 'every request',
  pino: 'logging',
  'string-width': 'widths of text in terminal tables',
  'https-proxy-agent': 'proxies',
  yaml: 'settings files, playbooks, and the manifest of the platform',
  'yargs-parser': 'war-room lines and command-line options',
};

/** Measures sizes without network; the packages have to be installed. */
export async function measureSize() {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const packages = Object.keys(lock.packages).filter((path) => isForProduction(path, lock.packages[path]));
  const direct = Object.keys(dependencies).map((name) => {
    const own = withDependencies(name, lock.packages);
    return [`\`${name}\``, PURPOSES[name] ?? 'see package.json', String(own.length), megabytes(sumOf(own))];
  });
  await build({ forPackage: true });
  const program = packageBytes();
  const all = sumOf(packages);
  const note = `\`npm ci --omit=dev\` installs ${packages.length} packages, ${megabytes(all)} MB; the program itself has ${megabytes(program)} MB. The program is bundled: it
loads none of these packages when it runs. Sizes are those of the files; a package that two others need counts for both.`;
  const columns = ['package', 'for', 'packages, dependencies included', 'MB'];
  return `## Installed size\n\n${note}\n\n${table(columns, direct)}`;
}

/** Returns the unpacked size of the package. */
function packageBytes() {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
  const { stdout } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32' });
  return JSON.parse(stdout)[0].unpackedSize;
}

function isForProduction(path, { dev, devOptional, optional }) {
  if (path === '' || dev === true || devOptional === true) return false;
  return optional !== true || existsSync(join(ROOT, path));
}

/** Lists the lock-file paths of a package and its dependencies. */
function withDependencies(name, packages) {
  const found = new Set();
  const visit = (wanted, from) => {
    const path = placeOf(wanted, from, packages);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    for (const other of Object.keys(packages[path].dependencies ?? {})) visit(other, path);
  };
  visit(name, '');
  return [...found];
}

/** Resolves a dependency: in the package's folder, or further up. */
function placeOf(name, from, packages) {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (path in packages || from === '') return path in packages ? path : undefined;
  return placeOf(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), packages);
}

function sumOf(places) {
  return sum(places.map((path) => bytesIn(join(ROOT, path))));
}

/** Sums file sizes without nested packages, which are counted separately. */
function bytesIn(path) {
  const about = lstatSync(path);
  if (!about.isDirectory()) return about.size;
  return sum(readdirSync(path).map((name) => (name === 'node_modules' ? 0 : bytesIn(join(path, name)))));
}

function sum(figures) {
  return figures.reduce((total, figure) => total + figure, 0);
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}
