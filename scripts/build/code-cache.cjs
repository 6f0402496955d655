/** Keeps the code that V8 made in a run for later runs, in the cache folder of the user. Loaded when some code was not there. */
'use strict';
const fs = require('node:fs');
const { cachedDataVersionTag } = require('node:v8');

const ALIGNED = 8;
/** Files of other versions of the program or of Node that stay. */
const OTHERS = 3;

/**
 * @param place where it is kept, and whether that is safe
 * @param kept functions that read what was kept before, by chunk
 * @param scripts what this run loads, by chunk
 */
exports.keepAtExit = (place, kept, scripts) => {
  const tag = cachedDataVersionTag();
  process.once('exit', () => {
    try {
      // Code made with other flags of V8, as a long run sets them, would be refused at the next start.
      if (cachedDataVersionTag() === tag) keep(place, contentsOf(place, kept, scripts));
    } catch {
      // Without the file the next start is slower, and nothing else.
    }
  });
};

/** Two sizes, the places of the pieces as JSON, the pieces. */
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

/** Only what is missing is made: never a home, and never what is above a cache folder. */
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
  for (const { path } of others.slice(OTHERS)) fs.rmSync(path, { force: true });
}
