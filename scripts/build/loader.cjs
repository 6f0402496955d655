#!/usr/bin/env node
/** Starts aisec out of its packs: files of many modules each, with the code that V8 made of them in an earlier run beside. */
'use strict';
const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');

/** The pack of each module, by the module's file name. */
const PACKS = new Map(__PACKS__);
const scripts = new Map();
const opened = new Map();
const modules = new Map();

// Without the code, or with that of another Node, everything works; it takes longer to start.
function codeOf(pack) {
  try {
    return readFileSync(`${__dirname}/packs/${pack}.code`);
  } catch {
    return undefined;
  }
}

function open(pack) {
  const filename = `${__dirname}/packs/${pack}.js`;
  // The packs are plain ASCII, which is quickest to read this way.
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData: codeOf(pack) });
  scripts.set(pack, script);
  return script.runInThisContext();
}

function load(id) {
  const name = id.slice(id.lastIndexOf('/') + 1);
  const pack = PACKS.get(name);
  if (pack === undefined) return require(id);
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  if (!opened.has(pack)) opened.set(pack, open(pack));
  const module = { exports: {} };
  modules.set(name, module);
  opened.get(pack)[name](load, module, module.exports, __filename, __dirname);
  return module.exports;
}

load('aisec.js');
