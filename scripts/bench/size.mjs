/** What an installation for production takes: the packages of the lock file that are not for developing, and the program itself. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { table } from './measure.mjs';

const PURPOSES = {
  ajv: 'checks arguments against their JSON schemas; the build makes functions of them',
  ky: 'every request',
  pino: 'the log, when one is asked for',
  'string-width': 'how many columns a text takes in a table of the terminal',
  'https-proxy-agent': 'the way through a proxy',
  yaml: 'settings files, playbooks, and the manifest of the platform',
  'yargs-parser': 'the lines of a war room, and the options of the command line',
};

/** Needs no network: the program has to be built, and the packages have to be installed. */
export function measureSize() {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const packages = Object.keys(lock.packages).filter((path) => isForProduction(path, lock.packages[path]));
  const direct = Object.keys(dependencies).map((name) => {
    const own = withThoseOf(name, lock.packages);
    return [`\`${name}\``, PURPOSES[name] ?? 'see package.json', String(own.length), megabytes(sumOf(own))];
  });
  const program = packageBytes();
  const all = sumOf(packages);
  const note = `\`npm ci --omit=dev\` installs ${packages.length} packages, ${megabytes(all)} MB; the program itself has ${megabytes(program)} MB. The program is bundled: it
loads none of these packages when it runs. Sizes are those of the files; a package that two others need is counted for both.`;
  const columns = ['package', 'for', 'packages with those that it needs', 'MB'];
  return `## Installed size\n\n${note}\n\n${table(columns, direct)}`;
}

/** What the package has when it is unpacked. */
function packageBytes() {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
  const { stdout } = spawnSync('npm', words, { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32' });
  return JSON.parse(stdout)[0].unpackedSize;
}

function isForProduction(path, { dev, devOptional, optional }) {
  if (path === '' || dev === true || devOptional === true) return false;
  return optional !== true || existsSync(join(ROOT, path));
}

/** The places of a package and of all that it needs, as the lock file has them. */
function withThoseOf(name, packages) {
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

/** Where a package finds another one: beside itself, or further up. */
function placeOf(name, from, packages) {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (path in packages || from === '') return path in packages ? path : undefined;
  return placeOf(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), packages);
}

function sumOf(places) {
  return sum(places.map((path) => bytesIn(join(ROOT, path))));
}

/** Packages within a package are counted by themselves. */
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
