/** Stryker's test runner for the bundled suites: it reloads the suites for every mutant in one process. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import fc from 'fast-check';
import { runTests, testsOf } from './suite.mjs';

const SUCCESS = 0;
const FAILED = 1;

class SuiteRunner {
  static inject = ['options'];
  #folder;
  #scripts = [];
  /** State that the instrumented bundle reads. */
  #shared = {};

  constructor({ suites }) {
    this.#folder = join('tests', suites);
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    globalThis.__stryker__ = this.#shared;
    // Property tests use the same values for each mutant, and do not shrink failures.
    fc.configureGlobal({ seed: 20_261_121, endOnFailure: true });
    process.on('unhandledRejection', () => undefined);
    for (const name of readdirSync(this.#folder).filter((file) => file.endsWith('.test.cjs'))) {
      const filename = join(process.cwd(), this.#folder, name);
      const text = `(function (require, module, exports, __filename, __dirname) {${readFileSync(filename, 'utf8')}\n})`;
      this.#scripts.push({ name, filename, script: new Script(text, { filename }) });
    }
  }

  #load() {
    return this.#scripts.flatMap(({ name, filename, script }) =>
      testsOf(() => {
        const module = { exports: {} };
        script.runInThisContext()(createRequire(filename), module, module.exports, filename, this.#folder);
      }).map((test) => ({ ...test, id: `${name}: ${test.id}` })),
    );
  }

  async dryRun() {
    this.#shared.mutantCoverage = { static: {}, perTest: {} };
    const tests = [];
    await runTests(this.#load(), {
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
      await runTests(
        this.#load().filter(({ id }) => covering?.has(id) ?? true),
        {
          begin: () => {
            nrOfTests += 1;
          },
          end: ({ id }, _, error) => {
            failed = error && { id, error };
            return failed !== undefined;
          },
        },
      );
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
export const strykerValidationSchema = { properties: { suites: { type: 'string' } } };
