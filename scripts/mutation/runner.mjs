/** Stryker's test runner for the bundled suites: it reloads the suites for every mutant in one process. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';
import fc from 'fast-check';
import { runTests, testsOf } from './suite.mjs';
import '../../tests/support/environment.mjs';

/** For packages that are loaded when they are needed. */
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
const SUCCESS = 0;
const FAILED = 1;

class SuiteRunner {
  static inject = ['options'];
  #suites;
  #scripts = [];
  /** State that the instrumented bundle reads. */
  #shared = {};

  constructor({ suites }) {
    this.#suites = suites;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    globalThis.__stryker__ = this.#shared;
    // Property tests use the same values for each mutant, as many as in the short tests, and do not shrink failures.
    const numRuns = Math.ceil(100 * Number(process.env.AISEC_LAW_RUNS ?? 1 / 16));
    fc.configureGlobal({ seed: 20_261_121, endOnFailure: true, numRuns });
    process.on('unhandledRejection', () => undefined);
    for (const suite of this.#suites) {
      const name = suite.replace(/\.ts$/, '.cjs');
      const filename = join(process.cwd(), 'tests', name);
      const text = `(function (require, module, exports, __filename, __dirname) {${readFileSync(filename, 'utf8')}\n})`;
      this.#scripts.push({ name, filename, script: new Script(text, { filename, importModuleDynamically }) });
    }
  }

  /** Loads a suite. */
  #load({ name, filename, script }) {
    return testsOf(() => {
      const module = { exports: {} };
      script.runInThisContext()(createRequire(filename), module, module.exports, filename, dirname(filename));
    }).map((test) => ({ ...test, id: `${name}: ${test.id}` }));
  }

  /** Selects suites; all by default. @param covering ids of the tests that are needed */
  #needed(covering) {
    const needed = covering && new Set(covering.map((id) => id.slice(0, id.indexOf(': '))));
    return this.#scripts.filter(({ name }) => needed?.has(name) ?? true);
  }

  async dryRun() {
    this.#shared.mutantCoverage = { static: {}, perTest: {} };
    const tests = [];
    const all = this.#scripts.flatMap((script) => this.#load(script));
    await runTests(all, {
      begin: ({ id }) => {
        this.#shared.currentTestId = id;
      },
      end: ({ id }, timeSpentMs, error) => {
        this.#shared.currentTestId = undefined;
        const result = { id, name: id, timeSpentMs };
        tests.push(
          error ? { ...result, status: FAILED, failureMessage: String(error) } : { ...result, status: SUCCESS },
        );
      },
    });
    return { status: 'complete', tests, mutantCoverage: this.#shared.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    const properties = Reflect.ownKeys(Object.prototype);
    Object.assign(this.#shared, { activeMutant: activeMutant.id, hitLimit, hitCount: hitLimit && 0 });
    let nrOfTests = 0;
    let failed;
    try {
      const covering = testFilter && new Set(testFilter);
      const listener = {
        begin: () => {
          nrOfTests += 1;
        },
        end: ({ id }, _, error) => {
          failed = error && { id, error };
          return failed !== undefined;
        },
      };
      // Load each suite when it is needed: most mutants are detected by the first.
      for (const script of this.#needed(testFilter)) {
        const tests = this.#load(script).filter(({ id }) => covering?.has(id) ?? true);
        await runTests(tests, listener);
        if (failed !== undefined) break;
      }
    } catch (error) {
      failed = { id: 'loading', error };
    } finally {
      for (const key of Reflect.ownKeys(Object.prototype)) if (!properties.includes(key)) delete Object.prototype[key];
    }
    if (hitLimit !== undefined && this.#shared.hitCount > hitLimit) return { status: 'timeout', reason: 'It loops.' };
    if (failed === undefined) return { status: 'survived', nrOfTests };
    return { status: 'killed', killedBy: [failed.id], failureMessage: String(failed.error), nrOfTests };
  }
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'suites', injectableClass: SuiteRunner }];
export const strykerValidationSchema = { properties: { suites: { type: 'array' } } };
