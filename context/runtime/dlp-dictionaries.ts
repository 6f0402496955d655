import { boolean, number, record, string, unknown } from '../../lib/runtime/output/record.ts';
import { deleted, statusText } from '../deletion.ts';
import { audit, created_at, created_by, listedAudit, updated_at, updated_by } from './dlp-audit.ts';

const id = string('Identifier of the dictionary.');

const base = {
  id,
  name: string('Name of the dictionary.'),
  description: string('Purpose of the dictionary.'),
  category: string('Category, such as Financial.'),
  region_name: string('Region, such as United States.', { heading: 'Region' }),
  type: string('Type: predefined or custom.'),
  is_case_sensitive: boolean('Whether upper and lower case matter.', { heading: 'Case Sensitive' }),
};

const is_parent_managed = boolean('Whether a parent tenant manages it.', { heading: 'Parent Managed' });
const detection_technique = string('Detection technique.');
const dictionary_metadata = unknown('Number of keywords, size in bytes and name of the keyword file.', {
  heading: 'Metadata',
});
const keywords = unknown('Keywords; only on request.', { show: beginning });

const MAX_SHOWN = 20;

/** Shows the first keywords and their number, because a dictionary may have thousands. */
function beginning(words: unknown): unknown {
  if (!Array.isArray(words) || words.length <= MAX_SHOWN) return words;
  const first: unknown[] = words.slice(0, MAX_SHOWN);
  return [...first, `... ${words.length} in all`];
}

const changed = { ...base, updated_at, updated_by };

export const DlpDictionary = record(
  'AiSec.DlpDictionary',
  'DLP Dictionaries',
  'id',
  {
    ...base,
    is_case_sensitive: { ...base.is_case_sensitive, hidden: true },
    number_of_keywords: number('Number of keywords.', {
      from: 'dictionary_metadata.number_of_keywords',
      heading: 'Keywords',
    }),
    detection_technique: { ...detection_technique, hidden: true },
    is_parent_managed: { ...is_parent_managed, hidden: true },
    ...listedAudit,
  },
  { firstColumns: ['name', 'id', 'type', 'category', 'number_of_keywords', 'updated_at'] },
);

export const DlpDictionaryGet = record('AiSec.DlpDictionaryGet', 'DLP Dictionary', 'id', {
  ...base,
  is_parent_managed,
  detection_technique,
  detection_sub_technique: string('Detection technique in detail.'),
  dictionary_metadata,
  tags: unknown('Tags of the dictionary.', { members: { classification: unknown('Tags of classification.') } }),
  keywords,
  ...audit,
});

export const DlpDictionaryCreate = record('AiSec.DlpDictionaryCreate', 'DLP Dictionary Created', 'id', {
  ...base,
  detection_technique,
  dictionary_metadata,
  keywords,
  created_at,
  created_by,
});

export const DlpDictionaryPatch = record('AiSec.DlpDictionaryPatch', 'DLP Dictionary Patched', 'id', changed);

export const DlpDictionaryReplace = record('AiSec.DlpDictionaryReplace', 'DLP Dictionary Replaced', 'id', {
  ...changed,
  id: { ...id, from: 'id', argument: 'dictionary_id' },
  keywords,
});

export const DlpDictionaryDelete = record('AiSec.DlpDictionaryDelete', 'DLP Dictionary Deleted', 'id', {
  id: { ...id, argument: 'dictionary_id' },
  deleted,
  status: statusText('Successfully deleted'),
});
