/**
 * Stryker's test runner: it bundles each suite, with its mutants, into one script, and runs the scripts for every
 * mutant in one process with jest's own runner. A mutant takes milliseconds; a new jest environment would take half a
 * second.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';
import { build } from 'esbuild';
import { expect } from 'expect';
import fc from 'fast-check';
import * as circus from 'jest-circus';
import { withOwnAddress } from '../bundle.mjs';
import { ROOT } from '../root.mjs';
import '../../tests/support/environment.mjs';

const SUCCESS = 0;
const FAILED = 1;

class SuiteRunner {
  static inject = ['options'];
  #suites;
  #scripts = [];
  /** State that the instrumented bundle reads. */
  #shared = {};
  /** Called after each test. */
  #ended = () => undefined;

  constructor({ suites }) {
    this.#suites = suites;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const { describe, test, it, beforeAll, beforeEach, afterEach, afterAll } = circus;
    Object.assign(globalThis, { describe, test, it, beforeAll, beforeEach, afterEach, afterAll, expect });
    globalThis.__stryker__ = this.#shared;
    // Property tests use the same values for each mutant, as many as in the short tests, and do not shrink failures.
    const numRuns = Math.ceil(100 * Number(process.env.AISEC_LAW_RUNS ?? 1 / 16));
    fc.configureGlobal({ seed: 20_261_121, endOnFailure: true, numRuns });
    process.on('unhandledRejection', () => undefined);
    circus.addEventHandler(({ name, test }) => {
      if (name === 'test_started') this.#shared.currentTestId = test.id;
      if (name !== 'test_done') return;
      this.#shared.currentTestId = undefined;
      this.#ended(test);
    });
    for (const suite of this.#suites) this.#scripts.push({ suite, run: await scriptOf(suite) });
  }

  async dryRun() {
    this.#shared.mutantCoverage = { static: {}, perTest: {} };
    const tests = [];
    this.#ended = ({ id, name, duration, errors }) => {
      const failure = errors.length > 0 && { status: FAILED, failureMessage: String(errors[0]) };
      tests.push({ id, name, timeSpentMs: duration, ...(failure || { status: SUCCESS }) });
    };
    for (const script of this.#scripts) await runTests(script);
    return { status: 'complete', tests, mutantCoverage: this.#shared.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    const properties = Reflect.ownKeys(Object.prototype);
    Object.assign(this.#shared, { activeMutant: activeMutant.id, hitLimit, hitCount: hitLimit && 0 });
    let nrOfTests = 0;
    let failed;
    this.#ended = ({ id, errors }) => {
      nrOfTests += 1;
      if (errors.length === 0) return;
      failed ??= { id, error: errors[0] };
      skipTests();
    };
    // Load each suite when it is needed: most mutants are detected by the first.
    for (const script of this.#scripts) {
      if (failed !== undefined) break;
      await runTests(script, testFilter).catch((error) => {
        failed = { id: 'loading', error };
      });
    }
    for (const key of Reflect.ownKeys(Object.prototype)) if (!properties.includes(key)) delete Object.prototype[key];
    if (hitLimit !== undefined && this.#shared.hitCount > hitLimit) return { status: 'timeout', reason: 'It loops.' };
    if (failed === undefined) return { status: 'survived', nrOfTests };
    return { status: 'killed', killedBy: [failed.id], failureMessage: String(failed.error), nrOfTests };
  }
}

/** Bundles a suite in the sandbox, which has no packages. @returns a function that registers its tests */
async function scriptOf(suite) {
  const filename = join(process.cwd(), suite);
  const { outputFiles } = await build({
    entryPoints: [filename],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    plugins: [withOwnAddress],
    nodePaths: [join(ROOT, 'node_modules')],
    // Loading these takes longer than most tests, and mutants do not change their state.
    external: ['fast-check', 'ajv', 'acorn', '@swc/core'],
    write: false,
    logLevel: 'error',
  });
  const text = `(function (require, module, exports, __filename, __dirname) {${outputFiles[0].text}\n})`;
  // For packages that are loaded on demand.
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const script = new Script(text, { filename, importModuleDynamically });
  return () => script.runInThisContext()(createRequire(filename), { exports: {} }, {}, filename, dirname(filename));
}

/** Loads and runs a suite. @param wanted ids of the tests that are needed; all by default */
async function runTests({ suite, run }, wanted) {
  if (wanted?.every((id) => !id.startsWith(`${suite}:`))) return;
  circus.resetState();
  run();
  const tests = testsIn(circus.getState().rootDescribeBlock);
  // Tests are identified by number, because a mutant may change their names.
  for (const [index, test] of tests.entries()) test.id = `${suite}:${index}`;
  if (wanted !== undefined) skipTests(({ id }) => !wanted.includes(id));
  const { unhandledErrors } = await circus.run();
  if (unhandledErrors.length > 0) throw unhandledErrors[0];
}

function skipTests(isLeftOut = () => true) {
  for (const test of testsIn(circus.getState().rootDescribeBlock)) if (isLeftOut(test)) test.mode = 'skip';
}

function testsIn(block) {
  return block.children.flatMap((child) => (child.type === 'test' ? [child] : testsIn(child)));
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'suites', injectableClass: SuiteRunner }];
export const strykerValidationSchema = { properties: { suites: { type: 'array' } } };
