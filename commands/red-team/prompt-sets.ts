import {
  PromptSet,
  PromptSetActive,
  PromptSetArchive,
  PromptSetCreate,
  PromptSetGet,
  PromptSetReference,
  PromptSetTemplate,
  PromptSetUpdate,
  PromptSetUpload,
  PromptSetVersionInfo,
} from '../../context/red-team/prompt-sets.ts';
import {
  command,
  file,
  flag,
  limit,
  many,
  one,
  path,
  redTeamManagement,
  silent,
  skip,
  text,
  list as texts,
  uuid,
  window,
} from '../../lib/runtime/engine/declare.ts';
import { PROMPT_SETS } from '../lookups.ts';
import { promptFile } from './prompt-file.ts';

const all = path`/v1/custom-attack/custom-prompt-set`;
const promptSet = (id: string) => path`/v1/custom-attack/custom-prompt-set/${id}`;

/** Limits of the service, in characters; source: `docs/wire.md`. */
const NAME = { maxLength: 255 };
const PROPERTY_NAMES = { maxItems: 2, items: { type: 'string', minLength: 1, maxLength: 256 } };

const id = uuid('Identifier of the prompt set.', { lookup: PROMPT_SETS, required: true, positional: true });
const name = 'Name of the prompt set.';
const description = 'Description of the prompt set.';

const vocabulary = {
  400: 'Properties must exist before a prompt set names them: list them with !aisec-redteam-properties-list, or create them with !aisec-redteam-properties-create.',
} as const;

export const create = command('aisec-redteam-prompt-sets-create', 'Create a prompt set, without prompts.', {
  effect: 'create',
  args: {
    name: text(name, { required: true, positional: true, schema: NAME }),
    description: text(description),
    property_names: texts('Names of the properties that its prompts may have, at most two.', {
      schema: PROPERTY_NAMES,
    }),
  },
  output: one(PromptSetCreate),
  hints: vocabulary,
  example: 'name="Refund abuse" property_names=region',
  call: (args) => redTeamManagement.post(all, args),
});

export const list = command('aisec-redteam-prompt-sets-list', 'List the prompt sets.', {
  effect: 'read',
  args: {
    limit: limit(50),
    skip: skip(),
    search: text('Return only prompt sets whose name or description contains this text.'),
    status: text('Return only prompt sets with this status.', { hints: ['READY', 'PENDING', 'VALIDATED'] }),
    active: flag('Return only active prompt sets (true), or only others (false).'),
    archive: flag('Return only archived prompt sets (true), or only others (false, the default of the service).'),
  },
  output: many(PromptSet),
  call: ({ limit, skip, ...query }) =>
    redTeamManagement.list(path`/v1/custom-attack/list-custom-prompt-sets`, {
      items: 'data',
      limit,
      offset: skip,
      query,
    }),
});

export const get = command('aisec-redteam-prompt-sets-get', 'Get a prompt set.', {
  effect: 'read',
  args: { uuid: id },
  output: one(PromptSetGet),
  call: ({ uuid }) => redTeamManagement.get(promptSet(uuid)),
});

export const update = command(
  'aisec-redteam-prompt-sets-update',
  'Update a prompt set; omitted fields keep their values.',
  {
    effect: 'update',
    args: {
      uuid: id,
      name: text(name, { schema: NAME }),
      description: text(description, { clearable: true }),
      property_names: texts('Names of the properties that its prompts may have, at most two; [] for none.', {
        schema: PROPERTY_NAMES,
      }),
      archive: flag('Archive the prompt set (true), or restore it (false).'),
    },
    output: one(PromptSetUpdate),
    hints: vocabulary,
    example: 'uuid=<uuid> name="Refund abuse 2026"',
    // The service treats null as omitted, and an empty string as cleared.
    call: ({ uuid, description, ...args }) =>
      redTeamManagement.put(promptSet(uuid), { ...args, description: description === null ? '' : description }),
  },
);

export const archive = command(
  'aisec-redteam-prompt-sets-archive',
  'Archive a prompt set, or restore an archived one.',
  {
    effect: 'update',
    repeatable: true,
    args: {
      uuid: id,
      archive: flag('Archive the prompt set (true), or restore it (false).', { required: true }),
    },
    output: one(PromptSetArchive),
    example: 'uuid=<uuid> archive=true',
    call: ({ uuid, archive }) =>
      redTeamManagement.put(path`/v1/custom-attack/custom-prompt-set/${uuid}/archive`, { archive }),
  },
);

export const download = command(
  'aisec-redteam-prompt-sets-download',
  'Download a CSV template for the prompts of a prompt set: the header and example rows.',
  {
    effect: 'read',
    returnsFile: true,
    args: { uuid: id },
    output: silent(PromptSetTemplate),
    call: ({ uuid }) => ({
      ...redTeamManagement.get(path`/v1/custom-attack/download-template/${uuid}`),
      download: `prompt_set_${uuid}.csv`,
    }),
    notes: ({ name, size }, { uuid }) => [
      name === undefined || size === 0
        ? 'The service sent no template: begin the first row of the CSV with prompt,goal.'
        : `Fill it in, and upload it with !aisec-redteam-prompt-sets-upload uuid=${uuid} entryID=<file>.`,
    ],
  },
);

export const upload = command(
  'aisec-redteam-prompt-sets-upload',
  'Add the prompts of a CSV file to a prompt set; they are validated before scans use them.',
  {
    effect: 'create',
    args: {
      uuid: id,
      entryID: file('CSV file with a column prompt and optional columns for goal and properties.', {
        required: true,
      }),
    },
    output: one(PromptSetUpload),
    hints: {
      400: 'The service rejects the whole file if a row has no prompt, or has a property that the prompt set lacks.',
      413: 'Split the file, and upload the parts one by one: each upload adds to the prompt set.',
    },
    example: 'uuid=<uuid> entryID=prompts.csv',
    run: async ({ uuid, entryID }, { api, files }) => {
      const csv = await promptFile(files, entryID);
      const upload = { file: csv, field: 'file', contentType: 'text/csv', parts: [] };
      const query = { prompt_set_uuid: uuid };
      const address = path`/v1/custom-attack/upload-custom-prompts-csv`;
      return {
        ...(await api.fetch(redTeamManagement.post(address, undefined, { upload, query }))),
        file_name: csv.name,
      };
    },
  },
);

export const reference = command(
  'aisec-redteam-prompt-sets-reference',
  'Get the reference of a prompt set for scans: its current version and status.',
  {
    effect: 'read',
    args: { uuid: id },
    output: one(PromptSetReference),
    call: ({ uuid }) => redTeamManagement.get(path`/v1/custom-attack/custom-prompt-set/${uuid}/reference`),
  },
);

export const versionInfo = command('aisec-redteam-prompt-sets-version-info', 'Get a version of a prompt set.', {
  effect: 'read',
  args: { uuid: id, version: text('Identifier of the version; by default the latest.') },
  output: one(PromptSetVersionInfo),
  // A bug of the present service: docs/wire.md.
  hints: {
    500: 'The service is known to answer this for every prompt set. See the current version with !aisec-redteam-prompt-sets-reference, the prompt counts with !aisec-redteam-prompt-sets-get.',
  },
  call: ({ uuid, version }) =>
    redTeamManagement.get(path`/v1/custom-attack/custom-prompt-set/${uuid}/version-info`, { version }),
});

export const activeList = command(
  'aisec-redteam-prompt-sets-active-list',
  'List the prompt sets that scans can use: active ones that have a version.',
  {
    effect: 'read',
    args: window,
    output: many(PromptSetActive),
    call: (range) =>
      redTeamManagement.list(path`/v1/custom-attack/active-custom-prompt-sets`, {
        items: 'data',
        paging: 'whole',
        ...range,
      }),
  },
);
