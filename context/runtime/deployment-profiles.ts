import { date, number, record, string } from '../../lib/runtime/output/record.ts';

export const DeploymentProfile = record(
  'AiSec.DeploymentProfile',
  'Deployment Profiles',
  'name',
  {
    name: string('Name of the deployment profile.', { from: 'dp_name' }),
    auth_code: string('Authorization code that creates API keys.', { secret: true }),
    tsg_id: string('Tenant services group of the deployment profile.'),
    status: string('Status, such as activated.'),
    expiration_date: date('When the deployment profile expires, as the service writes it.', { asSent: true }),
    ave_text_records: number('Average number of text records; null if the service does not count them.'),
  },
  { firstColumns: ['name', 'status', 'auth_code', 'expiration_date', 'ave_text_records'] },
);
