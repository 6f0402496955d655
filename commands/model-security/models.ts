import { Model, ModelFile, ModelGet, ModelVersion, ModelVersionGet } from '../../context/model-security/models.ts';
import { momentOf } from '../../lib/runtime/arguments/builders.ts';
import {
  command,
  limit,
  many,
  modelData,
  one,
  path,
  skip,
  text,
  list as texts,
  time,
  uuid,
} from '../../lib/runtime/engine/declare.ts';
import { MODEL_VERSIONS, MODELS } from '../lookups.ts';
import { DIRECTIONS, TIMES } from './sorting.ts';

export const list = command('aisec-model-security-models-list', 'List the models of the catalogue.', {
  effect: 'read',
  args: {
    limit: limit(50),
    skip: skip(),
    search_query: text('Text that the UUID or name of a model must match.', {
      positional: true,
      schema: { maxLength: 256 },
    }),
    sort_field: text('Field to sort by.', { choices: TIMES }),
    sort_order: text('Sort order, ascending or descending.', { choices: DIRECTIONS }),
    latest_version_outcomes: texts('Return only models whose latest version has one of these outcomes.', {
      hints: ['PASSED', 'FAILED', 'ALLOWED', 'BLOCKED', 'PENDING', 'ERROR'],
      tokens: 'outcome',
    }),
    latest_version_formats: texts('Return only models whose latest version has one of these file formats.'),
    latest_version_source_types: texts('Return only models whose latest version is from one of these sources.', {
      hints: ['MODEL_HUB', 'LOCAL', 'STORE_A', 'STORE_B', 'STORE_C'],
      tokens: 'source',
    }),
    start_time: time('Return only models created at or after this time: ISO 8601, or an age such as 7 days.'),
    end_time: time(
      'Return only models created at or before this time: ISO 8601, or an age; a date includes the whole day.',
    ),
  },
  output: { ...many(Model), priority: ({ latest_version_outcome }) => latest_version_outcome !== 'ALLOWED' },
  hints: { 400: 'Pass start_time and end_time together, or neither.' },
  example: 'latest_version_outcomes=FAILED start_time="7 days"',
  call: ({ limit, skip, start_time, end_time, ...args }, now) =>
    modelData.list(path`/v1/models`, {
      items: 'models',
      limit,
      offset: skip,
      query: {
        ...args,
        start_time: momentOf('start_time', start_time, now),
        end_time: momentOf('end_time', end_time, now, 'to'),
      },
    }),
});

export const get = command('aisec-model-security-models-get', 'Get a model of the catalogue.', {
  effect: 'read',
  args: { uuid: uuid('Identifier of the model.', { lookup: MODELS, required: true, positional: true }) },
  output: one(ModelGet),
  call: ({ uuid }) => modelData.get(path`/v1/models/${uuid}`),
});

export const versions = command('aisec-model-security-models-versions', 'List the scanned versions of a model.', {
  effect: 'read',
  args: {
    model_uuid: uuid('Identifier of the model.', { lookup: MODELS, required: true, positional: true }),
    limit: limit(50),
    skip: skip(),
    sort_order: text('Sort order, ascending or descending.', { choices: DIRECTIONS }),
  },
  output: many(ModelVersion),
  call: ({ model_uuid, limit, skip, sort_order }) =>
    modelData.list(path`/v1/models/${model_uuid}/model-versions`, {
      items: 'model_versions',
      limit,
      offset: skip,
      query: { sort_order },
    }),
});

export const versionGet = command('aisec-model-security-models-version-get', 'Get one version of a model.', {
  effect: 'read',
  args: { uuid: uuid('Identifier of the version.', { lookup: MODEL_VERSIONS, required: true, positional: true }) },
  output: one(ModelVersionGet),
  call: ({ uuid }) => modelData.get(path`/v1/model-versions/${uuid}`),
});

export const files = command('aisec-model-security-models-files', 'List the files of one version of a model.', {
  effect: 'read',
  args: {
    model_version_uuid: uuid('Identifier of the version.', {
      lookup: MODEL_VERSIONS,
      required: true,
      positional: true,
    }),
    limit: limit(50),
    skip: skip(),
  },
  output: many(ModelFile),
  call: ({ model_version_uuid, limit, skip }) =>
    modelData.list(path`/v1/model-versions/${model_version_uuid}/files`, { items: 'files', limit, offset: skip }),
});
