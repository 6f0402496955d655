import { readdirSync, readFileSync } from 'node:fs';

/** Ids that a title claims, in the brackets at its beginning. */
const claimsOf = (title) => (/^\[([^\]]+)\]/.exec(title)?.[1] ?? '').split(', ').filter((id) => id !== '');

const readJson = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

/** The ids of all requirements: `contract/requirements.json` has one text for each, by section of the specification. */
export const requirementIds = () => Object.values(readJson('./contract/requirements.json')).flatMap(Object.keys);

/** The due ids: all requirements, and the scenarios whose stage is due. */
export function dueIds() {
  const { due, scenarios } = readJson('./system/scenarios/ids.json');
  return [...requirementIds(), ...scenarios.filter((one) => due.includes(one.due)).map(({ id }) => id)];
}

/** The texts of the test files that a short run omits. */
function longFiles() {
  const names = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.long.test.ts'))
    .map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));
}

/** A run of selected tests says nothing about ids claimed by the other tests. */
const isPartial = (config) =>
  config.testPathPatterns.patterns.length > 0 ||
  [
    config.testNamePattern,
    config.onlyChanged,
    config.onlyFailures,
    config.findRelatedTests,
    config.runTestsByPath,
    config.filter,
    config.shard,
  ].some(Boolean);

/**
 * Fails a run of the whole suite if no passing test claims some due id, and prints those ids on stderr. `withoutLong`:
 * the run omits the long test files, so their claims count without having run. `ids`, `long` and `write` replace the
 * data files, the texts of the long test files, and stderr.
 */
export default class ClaimsReporter {
  #config;
  #others;
  #ids;
  #write;
  #error;

  constructor(
    config,
    { withoutLong = false, ids = dueIds(), long = longFiles, write = (text) => process.stderr.write(text) } = {},
  ) {
    this.#others = withoutLong ? long() : [];
    this.#config = config;
    this.#ids = ids;
    this.#write = write;
  }

  onRunComplete(_contexts, { testResults, wasInterrupted }) {
    if (wasInterrupted || isPartial(this.#config)) return;
    const passed = testResults.flatMap((file) => file.testResults).filter(({ status }) => status === 'passed');
    const claimed = new Set(passed.flatMap(({ title }) => claimsOf(title)));
    const isElsewhere = (id) => this.#others.some((text) => text.includes(`'${id}'`));
    const unclaimed = this.#ids.filter((id) => !claimed.has(id) && !isElsewhere(id));
    if (unclaimed.length === 0) return;
    this.#error = new Error(`no passing test claims: ${unclaimed.join(', ')}`);
    this.#write(`\nNo passing test claims these ids:\n${unclaimed.map((id) => `  ${id}\n`).join('')}`);
  }

  getLastError() {
    return this.#error;
  }
}
