import { boolean, record, string, unknown } from '../../lib/runtime/output/record.ts';

export const Languages = record('AiSec.RedTeamLanguages', 'Red-Team Languages', 'plane', {
  plane: string('Which plane answered: data or management.'),
  multilingual_enabled: boolean('Whether scans may use other languages.'),
  supported_job_types: unknown('Job types that may use other languages, such as STATIC, DYNAMIC or CUSTOM.'),
  languages: unknown('The languages, each with code and name.', {
    rows: ['code', 'name'],
    items: { code: string('Code of the language.'), name: string('Name of the language.') },
  }),
});
