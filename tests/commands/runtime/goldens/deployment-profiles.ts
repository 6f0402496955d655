import { MANAGEMENT, TENANT } from '../../../support/scripted.ts';
import type { Golden } from '../golden.ts';

const command = 'aisec-runtime-deployment-profiles-list';

export const keys = { [command]: ['name'] };

const wire = {
  dp_name: 'production',
  auth_code: 'D1000001',
  tsg_id: TENANT,
  status: 'activated',
  expiration_date: '2027-09-29 23:59:59 +0000 UTC',
  ave_text_records: 0,
};

const { dp_name: name, ...rest } = wire;

export const goldens: readonly Golden[] = [
  {
    command,
    what: 'a full record, and one that leaves out all it can',
    args: '',
    script: [
      {
        request: `GET ${MANAGEMENT}/deploymentprofiles`,
        answer: { deployment_profiles: [wire, { dp_name: 'sandbox', ave_text_records: null }], status: 'success' },
      },
    ],
    value: [
      { name, ...rest },
      { name: 'sandbox', auth_code: null, tsg_id: null, status: null, expiration_date: null, ave_text_records: null },
    ],
  },
  {
    command,
    what: 'unactivated=true',
    args: 'unactivated=true limit=10',
    script: [
      {
        request: `GET ${MANAGEMENT}/deploymentprofiles?unactivated=true`,
        answer: { deployment_profiles: [{ ...wire, status: 'unactivated' }] },
      },
    ],
    value: [{ name, ...rest, status: 'unactivated' }],
  },
];
