import { type Golden, MGMT } from '../golden.ts';

const list = 'aisec-redteam-properties-list';
const values = 'aisec-redteam-properties-values';
const create = 'aisec-redteam-properties-create';
const addValue = 'aisec-redteam-properties-add-value';

export const keys = {
  [list]: [],
  [values]: ['name'],
  [create]: ['name'],
  [addValue]: ['property_name', 'property_value'],
};

export const NAMES = `${MGMT}/custom-attack/property-names`;
export const VALUES = `${MGMT}/custom-attack/property-values`;

const creating = { request: `POST ${NAMES}`, body: { name: 'customer tier' } };
const adding = { request: `POST ${VALUES}`, body: { property_name: 'region', property_value: 'asia' } };

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'two names',
    args: '',
    script: [{ request: `GET ${NAMES}`, answer: { data: ['region', 'customer tier'] } }],
    value: ['region', 'customer tier'],
  },
  {
    command: list,
    what: 'none',
    args: '',
    script: [{ request: `GET ${NAMES}`, answer: { data: [] } }],
    value: [],
  },
  {
    command: values,
    what: 'a name that has to be encoded',
    args: 'property_name="tier #1/2?"',
    script: [{ request: `GET ${VALUES}/tier%20%231%2F2%3F`, answer: { name: 'tier #1/2?', values: ['basic', ''] } }],
    value: [{ name: 'tier #1/2?', values: ['basic', ''] }],
  },
  {
    command: values,
    what: 'an answer that leaves out all it can',
    args: 'region',
    script: [{ request: `GET ${VALUES}/region` }],
    value: [{ name: 'region', values: null }],
  },
  {
    command: values,
    what: 'several names, in the order in which they were given',
    args: 'property_names="region, customer tier,region,empty"',
    script: [
      {
        request: `GET ${VALUES}?property_names=region%2Ccustomer%20tier%2Cempty`,
        answer: { data: { 'customer tier': ['basic', 'premium'], empty: [], other: ['x'], region: ['asia'] } },
      },
    ],
    value: [
      { name: 'region', values: ['asia'] },
      { name: 'customer tier', values: ['basic', 'premium'] },
      { name: 'empty', values: [] },
    ],
  },
  {
    command: values,
    what: 'several names, of which the service honours the last alone',
    args: 'property_names=region,constructor,tier',
    script: [
      { request: `GET ${VALUES}?property_names=region%2Cconstructor%2Ctier`, answer: { data: { tier: ['basic'] } } },
      { request: `GET ${VALUES}/region`, answer: { name: 'region', values: ['asia'] } },
      { request: `GET ${VALUES}/constructor`, answer: { name: 'constructor' } },
    ],
    value: [
      { name: 'region', values: ['asia'] },
      { name: 'constructor', values: null },
      { name: 'tier', values: ['basic'] },
    ],
  },
  {
    command: values,
    what: 'names of which one holds a comma, which would part it',
    args: 'property_names=`["a,b", "region", "tier"]`',
    script: [
      { request: `GET ${VALUES}?property_names=region%2Ctier`, answer: { data: { region: ['asia'], tier: [] } } },
      { request: `GET ${VALUES}/a%2Cb`, answer: { name: 'a,b', values: ['c'] } },
    ],
    value: [
      { name: 'a,b', values: ['c'] },
      { name: 'region', values: ['asia'] },
      { name: 'tier', values: [] },
    ],
  },
  {
    command: values,
    what: 'a list of one name',
    args: 'property_names=region',
    script: [{ request: `GET ${VALUES}/region`, answer: { name: 'region', values: ['asia'] } }],
    value: [{ name: 'region', values: ['asia'] }],
  },
  {
    command: create,
    what: 'an answer in words',
    args: 'name="customer tier"',
    script: [{ ...creating, status: 201, answer: { message: 'Made', status: 200 } }],
    value: { name: 'customer tier', message: 'Made', status: 200 },
  },
  {
    command: create,
    what: 'an answer that lists all names',
    args: 'name="customer tier"',
    script: [{ ...creating, status: 201, answer: { data: ['region', 'customer tier'] } }],
    value: { name: 'customer tier', message: 'The property is created.', status: 201 },
  },
  {
    command: create,
    what: 'an answer without a body',
    args: '"customer tier"',
    script: [{ ...creating, status: 204 }],
    value: { name: 'customer tier', message: 'The property is created.', status: 204 },
  },
  {
    command: addValue,
    what: 'an answer in words',
    args: 'property_name=region property_value=asia',
    script: [{ ...adding, answer: { message: 'Added', status: 200 } }],
    value: { property_name: 'region', property_value: 'asia', message: 'Added', status: 200 },
  },
  {
    command: addValue,
    what: 'an answer without a body',
    args: 'property_name=region property_value=asia',
    script: [{ ...adding, status: 201 }],
    value: { property_name: 'region', property_value: 'asia', message: 'The value is added.', status: 201 },
  },
];
