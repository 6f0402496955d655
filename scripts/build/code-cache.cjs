/** Writes V8's compiled code to the user's cache folder. Loaded only if some code was not cached. */
'use strict';
const fs = require('node:fs');
const { cachedDataVersionTag } = require('node:v8');

const ALIGNED = 8;
/** Number of cache files to keep from other versions of the program or of Node. */
const KEPT_VERSIONS = 3;

/**
 * Writes the cache when the process exits.
 * @param place path of the cache, and its safety check
 * @param kept functions that read cached code, by chunk
 * @param scripts scripts of this run, by chunk
 */
exports.keepAtExit = (place, kept, scripts) => {
  const tag = cachedDataVersionTag();
  process.once('exit', () => {
    try {
      // A long run sets V8 flags, and V8 would reject code compiled with other flags.
      if (cachedDataVersionTag() === tag) keep(place, contentsOf(place, kept, scripts));
    } catch {
      // Without the file, only the next start is slower.
    }
  });
};

/** Serializes the cache: two sizes, the index as JSON, the code. */
function contentsOf({ sampleOf }, kept, scripts) {
  const pieces = new Map(kept);
  for (const [name, script] of scripts) pieces.set(name, () => script.createCachedData());
  const places = [];
  const bodies = [];
  let at = 0;
  for (const [name, read] of pieces) {
    const code = read();
    if (code === undefined) continue;
    const body = padded(code, 0);
    places.push([name, at, body.length, sampleOf(body)]);
    bodies.push(body);
    at += body.length;
  }
  const table = padded(Buffer.from(JSON.stringify(places)), ' ');
  const sizes = new Uint32Array([table.length, ALIGNED + table.length + at]);
  return Buffer.concat([new Uint8Array(sizes.buffer), table, ...bodies]);
}

function padded(bytes, by) {
  return Buffer.concat([bytes, Buffer.alloc((ALIGNED - (bytes.length % ALIGNED)) % ALIGNED, by)]);
}

function keep(place, contents) {
  for (const folder of [place.base, place.folder]) makeFolder(folder);
  if (place.isSafe(place) !== true) return;
  const unfinished = `${place.file}.${process.pid}.tmp`;
  try {
    fs.writeFileSync(unfinished, contents, { flag: 'wx', mode: 0o600 });
    fs.renameSync(unfinished, place.file);
  } catch {
    fs.rmSync(unfinished, { force: true });
  }
  removeOld(place);
}

/** Creates one folder without its parents, so never a home folder or anything above a cache folder. */
function makeFolder(path) {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

function removeOld({ folder, file }) {
  const others = fs
    .readdirSync(folder)
    .map((name) => `${folder}/${name}`)
    .filter((path) => path !== file)
    .map((path) => ({ path, time: fs.lstatSync(path).mtimeMs }));
  others.sort((one, other) => other.time - one.time);
  for (const { path } of others.slice(KEPT_VERSIONS)) fs.rmSync(path, { force: true });
}
