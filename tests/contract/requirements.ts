import { requirementSets } from '../claims-reporter.mjs';

/** One statement of the specification that a test must claim. */
export interface Requirement {
  /** Kebab case; shared with no other requirement and no scenario. */
  id: string;
  /** The section or sections that say so, joined with `; `. */
  section: string;
  text: string;
  /** Full names, or a prefix followed by `*`; empty where no command is concerned. */
  commands: readonly string[];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isRequirement = (value: unknown): value is Requirement =>
  isRecord(value) &&
  isText(value['id']) &&
  isText(value['section']) &&
  isText(value['text']) &&
  Array.isArray(value['commands']) &&
  value['commands'].every(isText);

function readSets(): Record<string, readonly Requirement[]> {
  // The sets are data and the reporter reads them, because it checks the claims without a TypeScript loader.
  const sets = Object.entries(requirementSets().sets).map(([name, set]): [string, readonly Requirement[]] => {
    if (!set.every(isRequirement)) throw new TypeError(`requirements: ${name} is not a list of requirements`);
    return [name, set];
  });
  return Object.fromEntries(sets);
}

const { runtime = [], ...others } = readSets();

/** The statements of the specification, by delivery; `due` in the data files marks the statements that must hold today. */
export const requirements: Readonly<{ runtime: readonly Requirement[]; [set: string]: readonly Requirement[] }> = {
  ...others,
  runtime,
};
