import { number, record, string, unknown, whole } from '../../lib/runtime/output/record.ts';
import { messageOr } from '../message.ts';

const status = number('HTTP status of the response.', { httpStatus: true });

export const Property = whole(
  'AiSec.RedTeamProperty',
  'Properties',
  unknown('Names of the properties that prompts may have.', { heading: 'Names', from: 'data' }),
);

export const PropertyValue = record('AiSec.RedTeamPropertyValue', 'Property Values', 'name', {
  name: string('Name of the property.'),
  values: unknown('Values of the property.'),
});

export const PropertyCreate = record('AiSec.RedTeamPropertyCreate', 'Property Created', 'name', {
  name: string('Name of the property.', { argument: 'name' }),
  message: messageOr('The property is created.'),
  status,
});

export const PropertyValueCreate = record(
  'AiSec.RedTeamPropertyValueCreate',
  'Property Value Added',
  ['property_name', 'property_value'],
  {
    property_name: string('Name of the property.', { argument: 'property_name' }),
    property_value: string('Value of the property.', { argument: 'property_value' }),
    message: messageOr('The value is added.'),
    status,
  },
);
