import {
  DlpDictionary,
  DlpDictionaryCreate,
  DlpDictionaryDelete,
  DlpDictionaryGet,
  DlpDictionaryPatch,
  DlpDictionaryReplace,
} from '../../context/runtime/dlp-dictionaries.ts';
import {
  command,
  dlp,
  file,
  flag,
  MERGE_PATCH,
  many,
  notClearable,
  one,
  PartialError,
  pages,
  path,
  text,
  toAisecError,
} from '../../lib/runtime/engine/declare.ts';
import { DLP_DICTIONARIES } from '../lookups.ts';
import { keywordFile, keywordUpload, missingKeywords } from './dlp-keyword-file.ts';

/** Path of the dictionaries. */
const all = path`/v2/api/dictionaries`;
const dictionary = (id: string) => path`/v2/api/dictionaries/${id}`;

/** Query that asks for keywords; sent only on request. */
const withKeywords = (include: boolean) => ({ keywords: include ? 'true' : undefined });

const CATEGORIES = [
  'Academic',
  'Confidential',
  'Employment',
  'Financial',
  'Government',
  'Healthcare',
  'Legal',
  'Marketing',
  'Source Code',
] as const;

const REGIONS = [
  'Australia',
  'Brazil',
  'Canada',
  'France',
  'Germany',
  'India',
  'Japan',
  'Saudi Arabia',
  'Singapore',
  'Switzerland',
  'United Kingdom',
  'United States',
] as const;

const dictionary_id = text('Identifier of the dictionary.', {
  lookup: DLP_DICTIONARIES,
  required: true,
  positional: true,
});
const category = text('Category of the dictionary.', { required: true, choices: CATEGORIES });
const name = text('Name of the dictionary.', { required: true });
const include_keywords = flag('Also return the keywords.', { default: 'false' });
const region = 'Region of the dictionary.';

const uploaded = {
  entry_id: file('Keyword file: text with one keyword per line.', { required: true }),
  description: text('Description of the dictionary.'),
  is_case_sensitive: flag('Case sensitivity of the keywords: true if case matters.'),
  type: text('Type of the dictionary.', { choices: ['predefined', 'custom'] }),
  include_keywords,
};

export const list = command('aisec-runtime-dlp-dictionaries-list', 'List one page of the DLP dictionaries.', {
  effect: 'read',
  args: {
    ...pages,
    include_keywords: flag('Also return the keywords: the raw response has them, the context only their number.', {
      default: 'false',
    }),
  },
  output: many(DlpDictionary),
  call: ({ page, size, include_keywords }) =>
    dlp.list(all, { items: 'content', offset: page, limit: size, query: withKeywords(include_keywords) }),
});

export const get = command('aisec-runtime-dlp-dictionaries-get', 'Get a DLP dictionary.', {
  effect: 'read',
  args: { dictionary_id, include_keywords },
  output: one(DlpDictionaryGet),
  call: ({ dictionary_id, include_keywords }) => dlp.get(dictionary(dictionary_id), withKeywords(include_keywords)),
});

export const create = command('aisec-runtime-dlp-dictionaries-create', 'Create a DLP dictionary from a keyword file.', {
  effect: 'create',
  args: {
    name: { ...name, positional: true },
    category,
    region_name: text(region, { required: true, default: 'United States', choices: REGIONS }),
    ...uploaded,
  },
  output: one(DlpDictionaryCreate),
  // A bug of the present service: docs/wire.md.
  hints: {
    400: 'Check the name and the keyword file. If both are right: the service is known to refuse new dictionaries. Create it in the console of the service, then fill it with !aisec-runtime-dlp-dictionaries-replace.',
  },
  example: 'name="Project Names" category=Confidential entry_id=keywords.txt',
  run: async ({ entry_id, include_keywords, ...described }, { api, files, note }) => {
    const keywords = await keywordFile(files, entry_id);
    const upload = keywordUpload(keywords.file, described);
    const created = await api.fetch(dlp.post(all, undefined, { upload, query: withKeywords(include_keywords) }));
    const missing = missingKeywords(keywords, created);
    if (missing !== undefined) note(missing);
    return created;
  },
});

export const patch = command(
  'aisec-runtime-dlp-dictionaries-patch',
  'Patch a DLP dictionary by a JSON merge patch; omitted fields and the keywords keep their values.',
  {
    effect: 'update',
    args: {
      dictionary_id,
      name: notClearable('Name of the dictionary.'),
      category,
      original_file_name: notClearable('Name of the uploaded keyword file.'),
      description: text('Description of the dictionary.', { clearable: true }),
      is_case_sensitive: flag('Case sensitivity of the keywords: true if case matters.', { clearable: true }),
      region_name: text(region, { choices: REGIONS, clearable: true }),
    },
    output: one(DlpDictionaryPatch),
    call: ({ dictionary_id, ...args }) => dlp.patch(dictionary(dictionary_id), args, MERGE_PATCH),
  },
);

export const replace = command(
  'aisec-runtime-dlp-dictionaries-replace',
  'Replace a DLP dictionary and its keywords, from a keyword file; omitted fields are lost.',
  {
    effect: 'replace',
    args: {
      dictionary_id,
      name,
      category,
      region_name: text(region, { required: true, choices: REGIONS }),
      ...uploaded,
    },
    output: one(DlpDictionaryReplace),
    run: async ({ dictionary_id, entry_id, include_keywords, ...described }, { api, files, note, partialFailure }) => {
      const keywords = await keywordFile(files, entry_id);
      const place = dictionary(dictionary_id);
      const query = withKeywords(include_keywords);
      const upload = keywordUpload(keywords.file, described);
      const answered = await api.fetch(dlp.put(place, undefined, { upload, query }));
      // Some regions respond without a body.
      const read = () =>
        api.fetch(dlp.get(place, query)).catch((thrown: unknown) => {
          const message = `The dictionary was replaced, but not read again: ${toAisecError(thrown).message}`;
          partialFailure(new PartialError(message, { hint: 'Read it with !aisec-runtime-dlp-dictionaries-get.' }));
          return {};
        });
      const replaced = answered['id'] === undefined ? await read() : answered;
      const missing = missingKeywords(keywords, replaced);
      if (missing !== undefined) note(missing);
      return replaced;
    },
  },
);

export const remove = command('aisec-runtime-dlp-dictionaries-delete', 'Delete a DLP dictionary.', {
  effect: 'delete',
  args: { dictionary_id },
  output: one(DlpDictionaryDelete),
  call: ({ dictionary_id }) => dlp.delete(dictionary(dictionary_id)),
});
