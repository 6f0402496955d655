#!/usr/bin/env node
/** Starts aisec: loads chunks on demand, with V8's compiled code from earlier runs. */
'use strict';
const { constants, fstatSync, lstatSync, openSync, readSync, statSync } = require('node:fs');
const { Script } = require('node:vm');

/** Position of each chunk in the file: first byte, number of bytes, first line. */
const CHUNKS = new Map(__CHUNKS__.map(([name, ...place]) => [name, place]));
const FILE = `${__dirname}/${__FILE__}`;
const STICKY = 0o1000;
const OTHERS_WRITE = 0o022;
/** Bytes between two samples of cached code: less than a disk block, so that a damaged block is noticed. */
const STEP = 512;

// The file stays open, so that an update during the run does not mix chunks of two versions.
const file = openSync(FILE);
const scripts = new Map();
const modules = new Map();
const cache = placeOfCache(process.env);
const kept = cache === undefined ? new Map() : openCache(cache);
let keeps = false;

/** Reads bytes. @throws Error if the file is too short */
function bytesAt(descriptor, at, length) {
  const bytes = Buffer.allocUnsafe(length);
  if (readSync(descriptor, bytes, 0, length, at) < length)
    throw new Error(`${FILE} is incomplete. Install aisec again.`);
  return bytes;
}

/** Finds the cache. Without user ids, as on Windows, ownership cannot be checked, so there is none. */
function placeOfCache({ HOME = '', NODE_DISABLE_COMPILE_CACHE = '', XDG_CACHE_HOME = '' }) {
  if (NODE_DISABLE_COMPILE_CACHE !== '' || process.geteuid === undefined) return undefined;
  if (!XDG_CACHE_HOME.startsWith('/') && !HOME.startsWith('/')) return undefined;
  const usual = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
  const base = XDG_CACHE_HOME.startsWith('/') ? XDG_CACHE_HOME : `${HOME}/${usual}`;
  const folder = `${base}/aisec`;
  const name = `${__BUILD__}-node-${process.version}-${process.arch}.code`;
  return { base, folder, file: `${folder}/${name}`, isSafe, sampleOf };
}

/**
 * Checks that only the user can write to the cache, because cached code is executed.
 * @returns false if it is not safe, undefined if it does not exist
 */
function isSafe({ base, folder }) {
  const [outer, inner] = [statSync(base, { throwIfNoEntry: false }), lstatSync(folder, { throwIfNoEntry: false })];
  if (outer !== undefined && !isProtected(outer)) return false;
  return inner === undefined ? undefined : inner.isDirectory() && isOwn(inner);
}

function isOwn({ uid, mode }) {
  return uid === process.geteuid() && (mode & OTHERS_WRITE) === 0;
}

/** In a sticky folder other users cannot replace the user's files. */
function isProtected({ uid, mode }) {
  return (uid === 0 || uid === process.geteuid()) && ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0);
}

/** Opens the cache. @returns for each cached chunk, a function that reads its code */
function openCache(place) {
  try {
    if (isSafe(place) !== true) return new Map();
    const descriptor = openSync(place.file, constants.O_RDONLY | constants.O_NOFOLLOW);
    const about = fstatSync(descriptor);
    const [size, total] = new Uint32Array(new Uint8Array(bytesAt(descriptor, 0, 8)).buffer);
    if (!about.isFile() || !isOwn(about) || about.size !== total) return new Map();
    const places = JSON.parse(bytesAt(descriptor, 8, size).toString('utf8'));
    return new Map(places.map(([name, ...piece]) => [name, () => pieceOf(descriptor, 8 + size, piece)]));
  } catch {
    return new Map();
  }
}

/** Reads cached code. @returns undefined if it is damaged */
function pieceOf(descriptor, start, [at, length, sample]) {
  const bytes = bytesAt(descriptor, start + at, length);
  return sampleOf(bytes) === sample ? bytes : undefined;
}

/** Computes a checksum of samples, because V8 does not check cached code; reading all of it would cost more than it saves. */
function sampleOf(bytes) {
  let sample = bytes.length;
  for (let at = 0; at + 4 <= bytes.length; at += STEP) sample = (Math.imul(sample, 31) + bytes.readInt32LE(at)) | 0;
  return sample;
}

function codeOf(name) {
  try {
    return kept.get(name)?.();
  } catch {
    return undefined;
  }
}

function compiled(name, [at, length, lineOffset]) {
  const cachedData = codeOf(name);
  const text = bytesAt(file, at, length).toString('utf8');
  const script = new Script(text, { filename: FILE, lineOffset, cachedData });
  scripts.set(name, script);
  if (script.cachedDataRejected !== false) keepLater();
  return script.runInThisContext();
}

function keepLater() {
  if (keeps || cache === undefined) return;
  keeps = true;
  try {
    require('./code-cache.cjs').keepAtExit(cache, kept, scripts);
  } catch {
    // The program was removed while it ran.
  }
}

function load(id) {
  const name = id.slice(id.lastIndexOf('/') + 1);
  const place = CHUNKS.get(name);
  if (place === undefined) return require(id);
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(name, module);
  compiled(name, place)(load, module, module.exports, __filename, __dirname, loadLater);
  return module.exports;
}

/** Imports a chunk. All chunks were modules, so their exports serve as a namespace. */
async function loadLater(id) {
  return load(id);
}

load('aisec.js');
