import { TENANT } from '../../../support/scripted.ts';
import type { Golden } from '../../runtime/golden.ts';
import { DATA, ID, OTHER, TIME } from './addresses.ts';

const list = 'aisec-model-security-models-list';
const get = 'aisec-model-security-models-get';
const versions = 'aisec-model-security-models-versions';
const versionGet = 'aisec-model-security-models-version-get';
const files = 'aisec-model-security-models-files';

export const keys = {
  [list]: ['uuid'],
  [get]: ['uuid'],
  [versions]: ['uuid'],
  [versionGet]: ['uuid'],
  [files]: ['uuid'],
};

const model = {
  uuid: ID,
  name: 'acme/summarizer',
  latest_version_uuid: OTHER,
  latest_version_revision: '9a8b7c6d',
  latest_version_outcome: 'ALLOWED',
  latest_version_formats: ['safetensors'],
  created_at: TIME,
  updated_at: TIME,
};
const modelWire = {
  ...model,
  latest_version_source_types: ['HUGGING_FACE', 'GCS', 'GITLAB'],
  latest_version_scan_time: TIME,
  latest_version_fingerprint: 'f00d',
  latest_version_hf_commit_sha: '9a8b7c6d',
  tsg_id: TENANT,
};
const modelRow = {
  ...model,
  latest_version_source_types: ['MODEL_HUB', 'STORE_B', 'GITLAB'],
  latest_version_scan_time: '2026-05-15T13:05:53Z',
};

const version = {
  uuid: OTHER,
  model_uuid: ID,
  revision: '9a8b7c6d',
  file_count: 4,
  license: 'apache-2.0',
  model_formats: ['safetensors'],
  last_eval_outcome: 'ALLOWED',
  latest_scan_time: TIME,
};
const versionWire = {
  ...version,
  source_types: ['S3'],
  hf_model_name: 'summarizer',
  hf_organization: 'acme',
  fingerprint: 'f00d',
  hf_commit_sha: '9a8b7c6d',
  hf_commit_title: 'Better weights',
  created_at: TIME,
  updated_at: TIME,
};
const versionRow = {
  ...version,
  source_types: ['STORE_A'],
  hub_model_name: 'summarizer',
  hub_organization: 'acme',
};

const file = {
  uuid: OTHER,
  path: '/weights/model.pkl',
  parent_path: '/weights',
  type: 'SYMLINK',
  result: 'FAILED',
  formats: null,
  model_version_uuid: ID,
  scan_uuid: null,
};

const page = { pagination: { total_items: 1 } };

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'without arguments',
    args: '',
    script: [
      {
        request: `GET ${DATA}/models?skip=0&limit=50`,
        answer: { models: [modelWire], ...page },
      },
    ],
    value: [modelRow],
  },
  {
    command: list,
    what: 'all arguments',
    args: 'limit=5 skip=10 search_query="acme/x y" sort_field=updated_at sort_order=asc latest_version_outcomes=PASSED,PENDING latest_version_formats=onnx,gguf latest_version_source_types=MODEL_HUB,STORE_C start_time=2026-11-01 end_time="2 hours ago"',
    script: [
      {
        request: `GET ${DATA}/models?search_query=acme%2Fx%20y&sort_field=updated_at&sort_order=asc&latest_version_outcomes=ALLOWED&latest_version_outcomes=PENDING&latest_version_formats=onnx&latest_version_formats=gguf&latest_version_source_types=HUGGING_FACE&latest_version_source_types=AZURE&start_time=2026-11-01T00%3A00%3A00Z&end_time=2026-11-21T10%3A00%3A00Z&skip=10&limit=5`,
        answer: { models: [{ uuid: ID }], ...page },
      },
    ],
    value: [{ ...Object.fromEntries(Object.keys(modelRow).map((name) => [name, null])), uuid: ID }],
  },
  {
    command: get,
    what: 'all fields',
    args: `uuid=${ID}`,
    script: [{ request: `GET ${DATA}/models/${ID}`, answer: modelWire }],
    value: { ...modelRow, latest_version_fingerprint: 'f00d', latest_version_hub_commit_sha: '9a8b7c6d' },
  },
  {
    command: versions,
    what: 'all arguments',
    args: `model_uuid=${ID} limit=5 skip=1 sort_order=asc`,
    script: [
      {
        request: `GET ${DATA}/models/${ID}/model-versions?sort_order=asc&skip=1&limit=5`,
        answer: { model_versions: [versionWire], ...page },
      },
    ],
    value: [versionRow],
  },
  {
    command: versionGet,
    what: 'all fields',
    args: `uuid=${OTHER}`,
    script: [{ request: `GET ${DATA}/model-versions/${OTHER}`, answer: versionWire }],
    value: {
      ...versionRow,
      fingerprint: 'f00d',
      hub_commit_sha: '9a8b7c6d',
      hub_commit_title: 'Better weights',
      created_at: TIME,
      updated_at: TIME,
    },
  },
  {
    command: files,
    what: 'a page of them',
    args: `model_version_uuid=${ID} limit=5 skip=5`,
    script: [
      {
        request: `GET ${DATA}/model-versions/${ID}/files?skip=5&limit=5`,
        answer: { files: [{ ...file, blob_id: 'b', created_at: TIME }], pagination: { total_items: 6 } },
      },
    ],
    value: [file],
  },
];
