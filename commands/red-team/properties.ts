import { Property, PropertyCreate, PropertyValue, PropertyValueCreate } from '../../context/red-team/properties.ts';
import { exclusive, oneOf } from '../../lib/runtime/arguments/rules.ts';
import {
  command,
  many,
  one,
  PartialError,
  path,
  redTeamManagement,
  text,
  list as texts,
} from '../../lib/runtime/engine/declare.ts';
import { values, valuesOf } from './property-values.ts';

const names = path`/v1/custom-attack/property-names`;

/** A limit of the service, in characters; source: `docs/wire.md`. */
const NAME = { maxLength: 256 };
const SEE = 'List the existing properties with !aisec-redteam-properties-list.';

export const list = command(
  'aisec-redteam-properties-list',
  'List the names of the properties that prompts may have.',
  { effect: 'read', args: {}, output: one(Property), call: () => redTeamManagement.get(names) },
);

export const propertyValues = command('aisec-redteam-properties-values', 'Get the values of one or more properties.', {
  effect: 'read',
  args: {
    property_name: text('Name of the property.', { positional: true }),
    property_names: texts('Names of several properties; a JSON array if a name contains a comma.', {
      schema: { minItems: 1, items: { type: 'string', minLength: 1 } },
    }),
  },
  rules: [oneOf('property_name', 'property_names'), exclusive('property_name', 'property_names')],
  output: many(PropertyValue),
  hints: { 404: SEE },
  example: 'property_names="region,customer tier"',
  run: async ({ property_name, property_names = [] }, { api, partialFailure }) => {
    const wanted = property_name === undefined ? property_names : [property_name];
    const { records, missing } = await valuesOf(api, wanted);
    if (missing.length > 0) {
      partialFailure(
        new PartialError(`The service knows no property with the name ${missing.join(', ')}.`, { hint: SEE }),
      );
    }
    return records;
  },
});

export const create = command('aisec-redteam-properties-create', 'Create a property, without values.', {
  effect: 'create',
  args: { name: text('Name of the property.', { required: true, positional: true, schema: NAME }) },
  output: one(PropertyCreate),
  hints: { 409: 'The property exists already: give it values with !aisec-redteam-properties-add-value.' },
  example: 'name="customer tier"',
  call: (args) => redTeamManagement.post(names, args),
});

export const addValue = command('aisec-redteam-properties-add-value', 'Add a value to a property.', {
  effect: 'create',
  args: {
    property_name: text('Name of the property.', { required: true, positional: true, schema: NAME }),
    property_value: text('Value to add to the property.', { required: true, schema: NAME }),
  },
  output: one(PropertyValueCreate),
  hints: {
    404: 'Create the property first, with !aisec-redteam-properties-create.',
    409: 'The property has this value already: see !aisec-redteam-properties-values.',
  },
  example: 'property_name="customer tier" property_value=premium',
  call: (args) => redTeamManagement.post(values, args),
});
