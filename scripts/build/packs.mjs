/** Puts the modules of the bundle into packs, and lets V8 compile those that a usual start needs. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { transform } from 'esbuild';
import { ROOT } from '../root.mjs';

const LOADER = readFileSync(join(ROOT, 'scripts', 'build', 'loader.cjs'), 'utf8');
/** Whatever is larger and not needed by a usual start is a pack of its own, in characters. */
const LARGE = 60_000;
const TERMINAL = join(ROOT, 'scripts', 'build', 'as-terminal.cjs');
/** Usual starts, by the pack of what they need. The first needs neither a service nor settings; the second is a conversation. */
const STARTS = {
  front: [{ words: ['--version'] }, { words: ['commands'] }, { words: ['help', 'aisec-runtime-scan'] }],
  room: [{ words: [], input: '!aisec-runtime-topics-\t\x15', preload: ['-r', TERMINAL] }],
  run: [
    { words: ['!aisec-runtime-scan profile_name=prod prompt=hello'] },
    { words: ['!aisec-runtime-topics-list limit=5'] },
  ],
};

/** A module as a function, as the loader calls it. @returns its name and text */
async function asFunction({ path, text }) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    charset: 'ascii',
    // The loader is asked for everything, and it answers at once.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__filename', 'import.meta.dirname': '__dirname' },
  });
  const name = basename(path);
  return { name, code: `${JSON.stringify(name)}(require, module, exports, __filename, __dirname) {\n${code}}` };
}

/**
 * @param chunks the bundle: an entry `aisec.js`, and the chunks that it loads
 * @param folder where the program is to be tried out; its `catalogue.txt` is there
 * @returns the files of the program: path within the folder, contents
 */
export async function packed(chunks, folder) {
  const modules = await Promise.all(chunks.map(asFunction));
  const all = layOut(modules, () => 'all');
  writeAll(folder, all);
  const settings = await serving(folder);
  const needed = Object.entries(STARTS).map(([pack, starts]) => {
    return { pack, names: new Set(starts.flatMap((start) => loadedBy(folder, start, settings.environment))) };
  });
  const packOf = ({ name, code }) => {
    const packs = needed.filter(({ names }) => names.has(name)).map(({ pack }) => pack);
    if (packs.includes('front')) return 'front';
    if (packs.length > 0) return packs.join('-and-');
    return code.length < LARGE ? 'run' : name.replace(/-\w+\.js$/, '');
  };
  const files = layOut(modules, packOf);
  writeAll(folder, files);
  for (const start of Object.values(STARTS).flat()) compile(folder, start, settings.environment);
  await settings.stop();
  const packs = files.filter(({ path }) => path.startsWith('packs/'));
  const code = packs.map(({ path }) => codeFile(folder, path)).filter((file) => file !== undefined);
  return [...files, ...code];
}

function layOut(modules, packOf) {
  const texts = new Map();
  for (const module of modules) {
    const pack = packOf(module);
    texts.set(pack, [...(texts.get(pack) ?? []), module.code]);
  }
  const names = new Map();
  const files = [...texts].map(([pack, functions]) => {
    const contents = `({\n${functions.join(',\n')}\n})`;
    const hash = createHash('sha256').update(contents).digest('hex').slice(0, 8);
    names.set(pack, `${pack}-${hash}`);
    return { path: `packs/${pack}-${hash}.js`, contents };
  });
  const places = modules.map((module) => [module.name, names.get(packOf(module))]);
  return [...files, { path: 'aisec.cjs', contents: LOADER.replace('__PACKS__', JSON.stringify(places)) }];
}

function writeAll(folder, files) {
  rmSync(join(folder, 'packs'), { recursive: true, force: true });
  for (const { path, contents } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
}

/** Names of the modules that a run loads. */
function loadedBy(folder, start, environment) {
  const tail = `process.on('exit', () => require('node:fs').writeSync(2, '\\n' + JSON.stringify([...modules.keys()])));`;
  const { stderr } = withTail(folder, tail, start, environment);
  return JSON.parse(stderr.trim().split('\n').at(-1));
}

/** Keeps the code of what a run used, together with what earlier runs used. */
function compile(folder, start, environment) {
  const tail = `process.on('exit', () => {
    for (const [pack, script] of scripts) {
      require('node:fs').writeFileSync(__dirname + '/packs/' + pack + '.code', script.createCachedData());
    }
  });`;
  withTail(folder, tail, start, environment);
}

function withTail(folder, tail, { words, input = '', preload = [] }, environment) {
  const program = join(folder, 'tried.cjs');
  writeFileSync(program, `${readFileSync(join(folder, 'aisec.cjs'), 'utf8')}\n${tail}\n`);
  // Nothing of what is tried out may reach the history of whoever builds.
  const env = { ...process.env, ...environment, XDG_STATE_HOME: folder };
  const done = spawnSync(process.execPath, [...preload, program, ...words], { encoding: 'utf8', env, input });
  if (done.status !== 0) throw new Error(`${words.join(' ')} failed: ${done.stderr}`);
  return done;
}

/** The simulated service out of the very build that is tried out. */
async function serving(folder) {
  const child = spawn(process.execPath, [join(folder, 'aisec.cjs'), 'simulate', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const environment = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const at = line.indexOf('=');
    environment[line.slice(0, at)] = line.slice(at + 1);
    if ('AISEC_TOKEN_URL' in environment) break;
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { environment, stop };
}

function codeFile(folder, path) {
  const file = path.replace(/\.js$/, '.code');
  try {
    return { path: file, contents: readFileSync(join(folder, file)) };
  } catch {
    return undefined;
  }
}
