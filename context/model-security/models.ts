import { date, number, record, string, timestamp, unknown } from '../../lib/runtime/output/record.ts';

const created_at = timestamp('When it was created.');
const updated_at = timestamp('When it was last changed.');

const model = {
  uuid: string('Identifier of the model.'),
  name: string('Name of the model.'),
  latest_version_outcome: string('Outcome of the latest version.', { heading: 'Outcome' }),
  latest_version_revision: string('Revision of the latest version.', { heading: 'Revision' }),
  latest_version_source_types: unknown('Where the latest version was scanned.', {
    tokens: 'source',
    heading: 'Sources',
  }),
  latest_version_formats: unknown('File formats of the latest version.', { heading: 'Formats' }),
  latest_version_scan_time: date('When the latest version was scanned.', { heading: 'Scanned' }),
  latest_version_uuid: string('Identifier of the latest version.', { heading: 'Latest Version UUID' }),
};

export const Model = record(
  'AiSec.ModelSecurityModel',
  'Models',
  'uuid',
  {
    ...model,
    created_at: { ...created_at, hidden: true },
    updated_at: { ...updated_at, hidden: true },
  },
  { firstColumns: ['uuid', 'name', 'latest_version_outcome', 'latest_version_formats', 'latest_version_scan_time'] },
);

export const ModelGet = record('AiSec.ModelSecurityModel', 'Model', 'uuid', {
  ...model,
  latest_version_fingerprint: string('Fingerprint of the latest version.', { heading: 'Fingerprint' }),
  latest_version_hub_commit_sha: string('Commit of the latest version at the hub.', {
    from: 'latest_version_hf_commit_sha',
    heading: 'Hub Commit',
  }),
  created_at,
  updated_at,
});

const version = {
  uuid: string('Identifier of the version.'),
  revision: string('Revision of the model.'),
  last_eval_outcome: string('Outcome of the last scan.', { heading: 'Outcome' }),
  file_count: number('Number of files.'),
  license: string('Licence of the model.'),
  model_formats: unknown('File formats.'),
  source_types: unknown('Where the version was scanned.', { tokens: 'source' }),
  latest_scan_time: timestamp('When the version was last scanned.'),
  hub_organization: string('Organization at the hub.', { from: 'hf_organization' }),
  hub_model_name: string('Name of the model at the hub.', { from: 'hf_model_name' }),
  model_uuid: string('Identifier of the model.'),
};

export const ModelVersion = record(
  'AiSec.ModelSecurityModelVersion',
  'Model Versions',
  'uuid',
  {
    ...version,
    hub_organization: { ...version.hub_organization, hidden: true },
    hub_model_name: { ...version.hub_model_name, hidden: true },
    model_uuid: { ...version.model_uuid, hidden: true },
  },
  { firstColumns: ['uuid', 'revision', 'last_eval_outcome', 'license', 'file_count', 'latest_scan_time'] },
);

export const ModelVersionGet = record('AiSec.ModelSecurityModelVersion', 'Model Version', 'uuid', {
  ...version,
  fingerprint: string('Fingerprint of the version.'),
  hub_commit_sha: string('Commit at the hub.', { from: 'hf_commit_sha' }),
  hub_commit_title: string('Title of the commit.', { from: 'hf_commit_title' }),
  created_at,
  updated_at,
});

export const ModelFile = record(
  'AiSec.ModelSecurityModelFile',
  'Model Files',
  'uuid',
  {
    path: string('Path in the model.'),
    type: string('FILE, DIRECTORY, or another value of the service.'),
    result: string('Result of its latest scan.'),
    formats: unknown('File formats.'),
    uuid: string('Identifier of the file.'),
    parent_path: string('Path of its parent folder.', { hidden: true }),
    model_version_uuid: string('Identifier of the version.', { hidden: true }),
    scan_uuid: string('Identifier of the latest scan.', { hidden: true }),
  },
  { firstColumns: ['path', 'type', 'result', 'formats'] },
);
