import { readdirSync, readFileSync } from 'node:fs';

/** Ids that a title claims, in the brackets at its beginning. */
const claimsOf = (title) => (/^\[([^\]]+)\]/.exec(title)?.[1] ?? '').split(', ').filter((id) => id !== '');

const readJson = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

/**
 * The requirement sets of all `contract/requirements*.json`, and the names of the sets that are due today. In each file
 * `due` lists names and every other member is a set; a set that several files hold is one set.
 */
export function requirementSets() {
  const names = readdirSync(new URL('./contract/', import.meta.url)).filter((name) =>
    /^requirements.*\.json$/.test(name),
  );
  const due = [];
  const sets = {};
  for (const name of names.sort()) {
    const { due: dueHere, ...setsHere } = readJson(`./contract/${name}`);
    due.push(...dueHere);
    for (const [set, list] of Object.entries(setsHere)) sets[set] = [...(sets[set] ?? []), ...list];
  }
  return { due, sets };
}

/** The due ids: requirement sets and scenarios that the data files mark as due. */
export function dueIds() {
  const requirements = requirementSets();
  const { due, scenarios } = readJson('./system/scenarios/ids.json');
  return [
    ...requirements.due.flatMap((set) => requirements.sets[set]),
    ...scenarios.filter((one) => due.includes(one.due)),
  ].map(({ id }) => id);
}

/** Texts of the test files that a short run leaves out. */
function longFiles() {
  const names = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.long.test.ts'))
    .map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));
}

/** A run of chosen tests says nothing about the ids that the others claim. */
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
 * Fails a run of the whole suite when an id that is due is claimed by no test that passed, and names those ids on stderr.
 * `withoutLong`: the run leaves out the long test files, whose claims then count without a run. `ids`, `long` and `write` stand in
 * for the data files, for the texts of the long test files, and for stderr.
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
