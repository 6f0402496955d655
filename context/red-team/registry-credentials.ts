import { date, record, string } from '../../lib/runtime/output/record.ts';

export const RegistryCredentials = record('AiSec.RedTeamRegistryCredentials', 'Registry Credentials', [], {
  token: string('Token that pulls container images of the scanner.', { secret: true }),
  expiry: date('When the token expires.'),
});
