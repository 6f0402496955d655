import { outputTypes } from './commands.ts';
import type { Integration, ManifestArgument, ManifestCommand, ManifestParameter } from './integration-schema.ts';
import type { ContractArgument, ContractCommand } from './transcription.ts';

/** One parameter of the integration's configuration, by its neutral display text. */
interface ContractParameter {
  display: string;
  required: boolean;
  /** Parameter type of the platform: 8 is a checkbox, 9 a pair of credentials. */
  type?: 8 | 9;
}

/** The connection parameters, by the text a user sees. */
export const connectionParameters: readonly ContractParameter[] = [
  { display: 'Server URL', required: true },
  { display: 'API Client ID', required: true, type: 9 },
  { display: 'API Client Secret', required: true, type: 9 },
  { display: 'Runtime API Key', required: true, type: 9 },
  { display: 'Tenant Services Group ID', required: true },
  { display: 'Scanner API Base URL', required: false },
  { display: 'DLP API Base URL', required: false },
  { display: 'Trust any certificate (not secure)', required: false, type: 8 },
  { display: 'Use system proxy settings', required: false, type: 8 },
];

const repeated = (names: readonly string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index);

/** Lists each name that only one side has, or that one side has twice, one per line. */
function nameDifferences(place: string, manifest: readonly string[], contract: readonly string[]): string[] {
  return [
    ...contract.filter((name) => !manifest.includes(name)).map((name) => `${place} ${name}: missing in the manifest`),
    ...manifest.filter((name) => !contract.includes(name)).map((name) => `${place} ${name}: not in the contract`),
    ...repeated(manifest).map((name) => `${place} ${name}: more than once in the manifest`),
  ];
}

function difference(place: string, manifest: unknown, contract: unknown): string[] {
  const [actual, expected] = [JSON.stringify(manifest), JSON.stringify(contract)];
  return actual === expected ? [] : [`${place}: ${actual} in the manifest, ${expected} in the contract`];
}

/** The lists that a manifest may offer for an argument; undefined means no list. */
function offers(expected: ContractArgument): (readonly string[] | undefined)[] {
  if (expected.choices === undefined) {
    // A boolean has only two values, so a manifest may offer both or leave the list out.
    return expected.kind === 'boolean' ? [undefined, ['true', 'false']] : [undefined];
  }
  return expected.clears ? [expected.choices, [...expected.choices, 'null']] : [expected.choices];
}

/** An open list may be offered if its description says that other values are also valid. */
const SAYS_OPEN = 'Other values are sent as typed.';

function choiceDifferences(place: string, actual: ManifestArgument, expected: ContractArgument): string[] {
  const offered = actual.auto === 'PREDEFINED' ? (actual.predefined ?? []) : undefined;
  if (actual.description.includes(SAYS_OPEN)) {
    if (offered === undefined) return [`${place}: says that other values are good, and offers none`];
    return expected.choices === undefined ? [] : [`${place}: says that it is open, and is closed in the contract`];
  }
  const sorted = (list: readonly string[] | undefined): string | undefined => list && [...list].sort().join(', ');
  const allowed = offers(expected).map(sorted);
  if (allowed.includes(sorted(offered))) return [];
  return [`${place} choices: ${sorted(offered) ?? 'open'} in the manifest, ${allowed[0] ?? 'open'} in the contract`];
}

function argumentDifferences(place: string, actual: ManifestArgument, expected: ContractArgument): string[] {
  return [
    ...difference(`${place} required`, actual.required ?? false, expected.required ?? false),
    ...difference(`${place} defaultValue`, actual.defaultValue ?? null, expected.default ?? null),
    ...(expected.kind === 'list' ? difference(`${place} isArray`, actual.isArray ?? false, true) : []),
    ...choiceDifferences(place, actual, expected),
  ];
}

function markDifferences(place: string, { description = '' }: { description?: string }): string[] {
  return description.endsWith(' Specific to aisec.') ? [] : [`${place}: the description lacks its mark`];
}

function extensionDifferences(place: string, actual: ManifestArgument, expected: ContractArgument): string[] {
  return [
    ...difference(`${place} required`, actual.required ?? false, false),
    ...(expected.default ? difference(`${place} defaultValue`, actual.defaultValue, expected.default) : []),
    ...markDifferences(place, actual),
  ];
}

function allArgumentDifferences(actual: ManifestCommand, expected: ContractCommand): string[] {
  const extensions = new Map(expected.extensions?.map((argument) => [argument.name, argument]));
  // Hidden arguments are internal to platform and script, and not part of the contract.
  const present = (actual.arguments ?? []).filter(({ hidden }) => hidden !== true);
  const names = present.map(({ name }) => name).filter((name) => !extensions.has(name));
  return [
    ...nameDifferences(
      `${actual.name} argument`,
      names,
      expected.arguments.map(({ name }) => name),
    ),
    ...present.flatMap((argument) => {
      const place = `${actual.name} argument ${argument.name}`;
      const extension = extensions.get(argument.name);
      if (extension) return extensionDifferences(place, argument, extension);
      const counterpart = expected.arguments.find(({ name }) => name === argument.name);
      return counterpart ? argumentDifferences(place, argument, counterpart) : [];
    }),
  ];
}

function outputDifferences(actual: ManifestCommand, expected: ContractCommand): string[] {
  const own = (expected.outputExtensions ?? []).map((field) => `${expected.context}.${field}`);
  const isExtension = (path: string) => own.some((one) => path === one || path.startsWith(`${one}.`));
  const outputs = (actual.outputs ?? []).filter(({ contextPath }) => !isExtension(contextPath));
  const extensions = (actual.outputs ?? []).filter(({ contextPath }) => isExtension(contextPath));
  const types = outputTypes(expected);
  return [
    ...extensions.flatMap((output) => markDifferences(`${actual.name} output ${output.contextPath}`, output)),
    ...nameDifferences(
      `${actual.name} output`,
      outputs.map(({ contextPath }) => contextPath),
      [...types.keys()],
    ),
    ...outputs.flatMap(({ contextPath, type }) => {
      const expectedType = types.get(contextPath);
      return expectedType ? difference(`${actual.name} output ${contextPath} type`, type, expectedType) : [];
    }),
  ];
}

/**
 * Compares a manifest with the transcribed commands, in both directions.
 *
 * @returns One line for each difference in commands, arguments (required, default, choices, lists) and outputs.
 */
export function commandDifferences(manifest: Integration, contract: readonly ContractCommand[]): string[] {
  const { commands } = manifest.script;
  return [
    ...nameDifferences(
      'command',
      commands.map(({ name }) => name),
      contract.map(({ command }) => command),
    ),
    ...contract.flatMap((expected) => {
      const actual = commands.find(({ name }) => name === expected.command);
      return actual ? [...allArgumentDifferences(actual, expected), ...outputDifferences(actual, expected)] : [];
    }),
  ];
}

/** Lists connection parameters of the contract that the manifest's configuration lacks or declares differently. */
export function parameterDifferences(manifest: Integration, contract: readonly ContractParameter[]): string[] {
  const shows = (parameter: ManifestParameter, display: string): boolean =>
    parameter.display === display || parameter.displaypassword === display;
  return contract.flatMap(({ display, required, type }) => {
    const actual = manifest.configuration.find((parameter) => shows(parameter, display));
    if (!actual) return [`parameter ${display}: missing in the manifest`];
    return [
      ...difference(`parameter ${display} required`, actual.required ?? false, required),
      ...(type === undefined ? [] : difference(`parameter ${display} type`, actual.type, type)),
    ];
  });
}
