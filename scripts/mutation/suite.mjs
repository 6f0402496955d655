/** A minimal jest in this process: a mutant takes milliseconds, a new jest environment half a second. */
import { expect } from 'expect';

/** Timeout of a test: the mutant loops forever. */
const MAX_MS = 5000;

const HOOKS = ['beforeAll', 'beforeEach', 'afterEach', 'afterAll'];

/**
 * Collects the tests of a script.
 * @param load runs the script, with `describe`, `test`, the hooks and `expect` as globals
 * @returns tests in order, with their blocks of hooks
 */
export function testsOf(load) {
  const tests = [];
  let block = { name: '', parent: undefined, hooks: Object.fromEntries(HOOKS.map((name) => [name, []])) };

  const describe = (name, body) => {
    const parent = block;
    block = { name: named(parent, name), parent, hooks: Object.fromEntries(HOOKS.map((hook) => [hook, []])) };
    body();
    block = parent;
  };
  const test = (name, body) => tests.push({ id: named(block, name), block, body });
  const register = Object.assign(test, { each: eachOf(test), skip: () => undefined });
  const hooks = HOOKS.map((name) => [name, (body) => block.hooks[name].push(body)]);
  Object.assign(globalThis, Object.fromEntries(hooks), {
    describe: Object.assign(describe, { each: eachOf(describe), skip: () => undefined }),
    test: register,
    it: register,
    expect,
  });
  load();
  return tests;
}

function named(block, name) {
  return `${block.name} ${name}`.trim();
}

/** Registers a table of tests. Rows are identified by index, which stays stable if a mutant changes their values. */
const eachOf = (register) => (rows) => (name, body) => {
  const isSpread = rows.every(Array.isArray);
  for (const [index, row] of rows.entries()) register(`${name} (${index})`, () => body(...(isSpread ? row : [row])));
};

/**
 * Runs tests one after another.
 * @param begin called before each test
 * @param end called after each test with its milliseconds and its error; true ends the run
 */
export async function runTests(tests, { begin, end }) {
  const opened = new Set();
  for (const test of tests) {
    const around = blocksOf(test.block);
    const start = performance.now();
    begin(test);
    const error = await failureOf(async () => {
      for (const block of around) {
        if (!opened.has(block)) await runAll(block.hooks.beforeAll);
        opened.add(block);
      }
      for (const block of around) await runAll(block.hooks.beforeEach);
      try {
        await test.body();
      } finally {
        for (const block of around.toReversed()) await runAll(block.hooks.afterEach);
      }
    });
    if (end(test, performance.now() - start, error)) break;
  }
  for (const block of opened) await failureOf(() => runAll(block.hooks.afterAll));
}

function blocksOf(block) {
  return block === undefined ? [] : [...blocksOf(block.parent), block];
}

async function runAll(hooks) {
  for (const hook of hooks) await hook();
}

async function failureOf(run) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It takes longer than ${MAX_MS} ms.`)), MAX_MS);
  });
  try {
    await Promise.race([run(), late]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    clearTimeout(timer);
  }
}
