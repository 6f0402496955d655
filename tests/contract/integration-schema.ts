import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

type Schema = Readonly<Record<string, unknown>>;

const flag: Schema = { type: 'boolean' };
const text: Schema = { type: 'string', minLength: 1 };
const texts: Schema = { type: 'array', items: text };
const textOrNull: Schema = { type: ['string', 'null'] };
const textsOrNull: Schema = { type: ['array', 'null'], items: text };
const flagText: Schema = { enum: ['true', 'false'] };
const notNull: Schema = { not: { type: 'null' } };
const sentence: Schema = { type: 'string', pattern: '\\.$' };
const neverNamedIntegration: Schema = { type: 'string', minLength: 1, not: { pattern: '[Ii]ntegration' } };
const marketplaces: Schema = {
  type: 'array',
  items: { enum: ['xsoar', 'marketplacev2', 'xpanse', 'xsoar_saas', 'xsoar_on_prem', 'platform'] },
};
const sectionName: Schema = {
  enum: ['Connect', 'Collect', 'Optimize', 'Mirroring', 'Result', 'Agentic Assistant'],
};
const sections: Schema = { type: 'array', items: sectionName, minItems: 1, maxItems: 6 };

/** Applies the same schema to each of several keys. */
const all = (names: string, schema: Schema): Record<string, Schema> =>
  Object.fromEntries(names.split(' ').map((name) => [name, schema]));

/** An object with only these keys. */
const closed = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  rules: Schema = {},
): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
  ...rules,
});

const when = (condition: Readonly<Record<string, Schema>>, consequence: Schema): Schema => ({
  if: { type: 'object', properties: condition, required: Object.keys(condition) },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema, not a promise
  then: { type: 'object', ...consequence },
});

const wellKnownCheckbox = (name: string, display: string): Schema =>
  when(
    { name: { const: name } },
    { properties: { display: { const: display }, type: { const: 8 }, defaultvalue: { enum: ['false', null] } } },
  );

const parameterTypes = [0, 1, 4, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23];

const parameter = closed(
  {
    name: text,
    type: { enum: parameterTypes },
    display: { type: 'string', pattern: '^[A-Z][^_]*$' },
    section: sectionName,
    advanced: flagText,
    defaultvalue: { type: ['string', 'null'], not: { type: 'string', pattern: '^http://' } },
    required: flag,
    hidden: { anyOf: [flag, marketplaces] },
    options: texts,
    additionalinfo: textOrNull,
    displaypassword: text,
    supportedModules: texts,
    fromlicense: text,
    ...all('hiddenusername hiddenpassword', flag),
  },
  ['name', 'type', 'display'],
  {
    allOf: [
      wellKnownCheckbox('insecure', 'Trust any certificate (not secure)'),
      wellKnownCheckbox('proxy', 'Use system proxy settings'),
      when(
        { type: { const: 8 } },
        { properties: { required: { const: false }, defaultvalue: { enum: ['true', 'false', null] } } },
      ),
      when({ type: { const: 4 } }, { properties: { hidden: { const: true } }, required: ['hidden'] }),
      when({ type: { const: 9 }, hiddenusername: { const: true } }, { required: ['displaypassword'] }),
    ],
  },
);

const argument = closed(
  {
    name: text,
    description: sentence,
    default: { type: ['boolean', 'null'] },
    defaultValue: textOrNull,
    auto: { const: 'PREDEFINED' },
    predefined: textsOrNull,
    type: text,
    prettyname: text,
    prettypredefined: { type: 'object' },
    supportedModules: texts,
    ...all('required isArray secret deprecated hidden', flag),
  },
  ['name', 'description'],
);

const output = closed(
  {
    // Five names at most, so that no path goes deeper than the platform's own validators allow.
    contextPath: { type: 'string', pattern: '^[^.\\s]+(\\.[^.\\s]+){0,4}$' },
    description: sentence,
    type: text,
    important: flag,
    importantDescription: text,
  },
  ['contextPath', 'description'],
);

const oneDefault: Schema = {
  contains: { type: 'object', properties: { default: { const: true } }, required: ['default'] },
  minContains: 0,
  maxContains: 1,
};

const command = closed(
  {
    name: { type: 'string', pattern: '^[^\\d\\s]\\S*$' },
    description: sentence,
    arguments: { type: 'array', items: argument, uniqueBy: 'name', ...oneDefault },
    outputs: { type: ['array', 'null'], items: output, uniqueBy: 'contextPath' },
    timeout: { type: 'integer' },
    important: notNull,
    prettyname: text,
    supportedModules: texts,
    compliantpolicies: texts,
    ...all('execution deprecated hidden polling system quickaction', flag),
  },
  ['name', 'description'],
);

const script = closed(
  {
    script: text,
    type: { enum: ['python', 'powershell', 'javascript'] },
    commands: { type: 'array', items: command, minItems: 1, uniqueBy: 'name' },
    ...all('dockerimage nativeImage subtype', text),
    alt_dockerimages: texts,
    spec: notNull,
    ...all('runonce isfetch isfetchevents isfetchassets isfetchcredentials isFetchSamples feed mcp', flag),
    ...all('longRunning longRunningPort ismappable isremotesyncin isremotesyncout resetContext', flag),
  },
  ['script', 'type', 'commands'],
  {
    ...when(
      { type: { const: 'javascript' } },
      { properties: { dockerimage: false, alt_dockerimages: false, nativeImage: false, subtype: false } },
    ),
  },
);

/** The manifest in source form, as strict as the platform and its validators together. */
const integration = closed(
  {
    commonfields: closed({ id: text, version: { const: -1 } }, ['id', 'version']),
    name: { allOf: [neverNamedIntegration, { const: { $data: '1/commonfields/id' } }] },
    display: neverNamedIntegration,
    category: {
      enum: [
        'Analytics & SIEM',
        'Utilities',
        'Messaging and Conferencing',
        'Endpoint',
        'Network Security',
        'Vulnerability Management',
        'Case Management',
        'Forensics & Malware Analysis',
        'IT Services',
        'Data Enrichment & Threat Intelligence',
        'Database',
        'Deception & Breach Simulation',
        'Email',
        'Identity and Access Management',
        'Cloud Services',
        'Cloud Security',
        'Authentication & Identity Management',
      ],
    },
    description: sentence,
    configuration: { type: 'array', items: parameter, uniqueBy: 'name' },
    script,
    ...all('sectionorder sectionOrder', sections),
    ...all('image detaileddescription defaultmapperin defaultmapperout defaultclassifier', textOrNull),
    ...all('provider source toversion supportlevelheader', text),
    // From 6.10.0 on, the general minimum.
    fromversion: { type: 'string', pattern: '^(6\\.[1-9]\\d+|([7-9]|[1-9]\\d+)\\.\\d+)\\.\\d+$' },
    ...all('beta hidden deprecated system internal autoconfiginstance defaultEnabled scriptNotVisible', flag),
    ...all('supportsquickactions isCloudProviderIntegration autoUpdateDockerImage hybrid', flag),
    ...all('tests supportedModules', texts),
    ...all('videos triggers versionedfields', notNull),
    marketplaces,
  },
  ['commonfields', 'name', 'display', 'category', 'description', 'configuration', 'script'],
);

export interface ManifestParameter {
  name: string;
  type: number;
  display: string;
  displaypassword?: string;
  required?: boolean;
}

export interface ManifestArgument {
  name: string;
  description: string;
  required?: boolean;
  default?: boolean | null;
  defaultValue?: string | null;
  isArray?: boolean;
  hidden?: boolean;
  auto?: 'PREDEFINED';
  predefined?: string[] | null;
}

export interface ManifestCommand {
  name: string;
  execution?: boolean;
  arguments?: ManifestArgument[];
  outputs?: { contextPath: string; type?: string; description?: string }[] | null;
}

/** The part of a valid manifest that the contract covers. */
export interface Integration {
  configuration: ManifestParameter[];
  script: { commands: ManifestCommand[] };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, $data: true });
ajv.addKeyword({
  keyword: 'uniqueBy',
  type: 'array',
  schemaType: 'string',
  validate: (key: string, items: readonly unknown[]) => {
    const values = items.map((item) => (isRecord(item) ? item[key] : item));
    return new Set(values).size === values.length;
  },
});
const validate = ajv.compile<Integration>(integration);

/** Rewrites `/script/commands/3/arguments/0` as `script.commands.aisec-x.arguments.limit`, which a reader understands. */
function place(document: unknown, pointer: string): string {
  let value = document;
  const names = pointer
    .split('/')
    .slice(1)
    .map((step) => {
      value = isRecord(value) ? value[step] : undefined;
      const name = /^\d+$/.test(step) && isRecord(value) ? (value['name'] ?? value['contextPath']) : step;
      return typeof name === 'string' ? name : step;
    });
  return names.join('.') || 'integration.yml';
}

/** Reports whether the platform would accept a manifest. */
export const isIntegration = (document: unknown): document is Integration => validate(document);

/**
 * Lists what the platform or its validators would reject in a parsed manifest.
 *
 * @returns One line per problem, with its position; empty without problems.
 */
export function integrationFaults(document: unknown): string[] {
  if (validate(document)) return [];
  const line = ({ instancePath, message = '', params }: ErrorObject): string =>
    `${place(document, instancePath)}: ${message} ${JSON.stringify(params)}`;
  // Report a failed rule at its keyword only; the `if` around it fails too, which adds nothing.
  return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').map(line);
}
