import { Ajv2020 } from 'ajv/dist/2020.js';

type Schema = Readonly<Record<string, unknown>>;

const flag: Schema = { type: 'boolean' };
const text: Schema = { type: 'string', minLength: 1 };
const anyText: Schema = { type: 'string' };
const sentence: Schema = { type: 'string', pattern: '\\.$' };
const uuid: Schema = {
  type: 'string',
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
};
const taskId: Schema = { type: 'string', pattern: '^[0-9]+$' };
const list = (items: Schema, minItems = 0): Schema => ({ type: 'array', items, minItems });

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

/** Applies the same schema to each key. */
const mapOf = (names: string, values: Schema): Schema => ({
  type: 'object',
  propertyNames: { pattern: names },
  additionalProperties: values,
});

const USING = { simple: '${inputs.instance_name}' };
const simple = closed({ simple: text }, ['simple']);
const operand = closed({ value: { $ref: '#/$defs/value' }, iscontext: flag }, ['value']);
const comparison = closed({ operator: text, ignorecase: flag, left: operand, right: operand }, ['operator', 'left']);
const test = list(list(comparison, 1), 1);
const transformer = closed({ operator: text, args: { type: 'object' } }, ['operator']);
const complex = closed(
  { complex: closed({ root: text, accessor: text, filters: test, transformers: list(transformer, 1) }, ['root']) },
  ['complex'],
);

const condition = closed({ label: text, condition: test }, ['label', 'condition']);

const inner = closed(
  {
    // Within the playbook's library, the identifier is the task's own.
    id: { const: { $data: '2/taskid' } },
    version: { const: -1 },
    name: anyText,
    description: anyText,
    type: { const: { $data: '2/type' } },
    script: { type: 'string', pattern: '^\\|\\|\\|(aisec-[a-z-]+|send-mail)$' },
    scriptName: { enum: ['Set', 'Print', 'GetTime', 'DeleteContext'] },
    iscommand: flag,
    brand: { const: '' },
  },
  ['id', 'version', 'name', 'description', 'iscommand', 'brand'],
);

const when = (type: string, more: Schema): Schema => ({
  if: { type: 'object', properties: { type: { const: type } } },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema, not a promise
  then: { type: 'object', ...more },
});

const named: Schema = { type: 'object', properties: { name: text, description: sentence } };

/** A task that runs something. */
const taskWith = (properties: Readonly<Record<string, Schema>>, iscommand: boolean): Schema => ({
  type: 'object',
  properties: { ...properties, iscommand: { const: iscommand } },
  required: Object.keys(properties),
});

const task = closed(
  {
    id: taskId,
    taskid: uuid,
    type: { enum: ['start', 'title', 'condition', 'regular'] },
    task: inner,
    nexttasks: mapOf('.+', list(taskId, 1)),
    scriptarguments: mapOf('^[a-zA-Z_-]+$', { $ref: '#/$defs/value' }),
    conditions: list(condition, 1),
    separatecontext: flag,
    continueonerror: flag,
    continueonerrortype: { enum: ['', 'errorPath'] },
    // A JSON string: the task's position on the canvas.
    view: { type: 'string', pattern: '^\\{"position": \\{"x": -?[0-9]+, "y": -?[0-9]+\\}\\}$' },
  },
  ['id', 'taskid', 'type', 'task', 'view'],
  {
    allOf: [
      when('regular', {
        required: ['nexttasks', 'scriptarguments'],
        properties: { task: named },
        oneOf: [
          {
            type: 'object',
            properties: {
              // With several tenants, a command without an instance runs on all of them.
              scriptarguments: { type: 'object', required: ['using'], properties: { using: { const: USING } } },
              task: taskWith({ script: { type: 'string', pattern: 'aisec-' } }, true),
            },
          },
          // Mail uses any integration that the platform has for it.
          { type: 'object', properties: { task: taskWith({ script: { const: '|||send-mail' } }, true) } },
          { type: 'object', properties: { task: taskWith({ scriptName: anyText }, false) } },
        ],
      }),
      when('condition', {
        required: ['nexttasks'],
        properties: { task: named },
        anyOf: [
          {
            type: 'object',
            required: ['conditions'],
            properties: { nexttasks: { type: 'object', required: ['#default#'] } },
          },
          // A person answers.
          { type: 'object', properties: { nexttasks: { type: 'object', required: ['Yes', 'No'] } } },
        ],
      }),
      when('title', { properties: { task: { type: 'object', properties: { name: text } } } }),
      {
        if: { type: 'object', properties: { continueonerrortype: { const: 'errorPath' } } },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema, not a promise
        then: {
          type: 'object',
          required: ['continueonerror'],
          properties: {
            continueonerror: { const: true },
            nexttasks: { type: 'object', required: ['#none#', '#error#'] },
          },
        },
      },
    ],
  },
);

const input = closed(
  {
    key: { type: 'string', pattern: '^[a-z][a-z_]*$' },
    value: { $ref: '#/$defs/value' },
    required: flag,
    description: sentence,
    playbookInputQuery: { type: 'null' },
  },
  ['key', 'value', 'required', 'description'],
);

const output = closed(
  {
    contextPath: { type: 'string', pattern: '^(AiSec|InfoFile)(\\.\\w+){1,4}$' },
    description: sentence,
    type: { enum: ['String', 'Number', 'Boolean', 'Date', 'Unknown'] },
  },
  ['contextPath', 'description', 'type'],
);

/** A playbook as the platform accepts it, as strict as the platform's own model, with the conventions of this pack. */
const playbook: Schema = {
  $defs: { value: { anyOf: [closed({}, []), simple, complex] } },
  ...closed(
    {
      id: { const: { $data: '1/name' } },
      version: { const: -1 },
      name: { type: 'string', pattern: '^AiSec - ' },
      description: sentence,
      starttaskid: taskId,
      tasks: mapOf(taskId['pattern'] as string, task),
      view: { type: 'string', pattern: '^\\{.*"paper".*\\}$' },
      inputs: list(input, 1),
      outputs: list(output, 1),
      // From 6.10.0 on, the general minimum.
      fromversion: { const: '6.10.0' },
      tests: list({ type: 'string', pattern: '^No tests' }, 1),
    },
    [
      'id',
      'version',
      'name',
      'description',
      'starttaskid',
      'tasks',
      'view',
      'inputs',
      'outputs',
      'fromversion',
      'tests',
    ],
  ),
};

const validate = new Ajv2020({ allErrors: true, $data: true }).compile(playbook);

/** Lists what the platform would reject in a parsed playbook. */
export function playbookFaults(document: unknown): string[] {
  if (validate(document)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath}: ${message}`);
}
