/**
 * The JSON Schema of a guardrails file; `npm run generate` writes it to `catalogue/guardrails.schema.json` for editors.
 * Names and limits come from the commands; the members of a policy come from `docs/wire.md`.
 */

import type { JsonObject } from '../../core/json.ts';
import {
  count,
  flag,
  list,
  object,
  openObject as open,
  type SchemaOf,
  text,
  type ValueOf,
} from '../../node/documents/schema.ts';
import type { Argument, Arguments, Schema } from '../../runtime/arguments/builders.ts';

/** Commands whose arguments are repeated as members of a file. */
export const DECLARING = {
  topic: 'aisec-runtime-topics-create',
  profile: 'aisec-runtime-profiles-create',
  dictionary: 'aisec-runtime-dlp-dictionaries-create',
  pattern: 'aisec-runtime-dlp-patterns-create',
  dataProfile: 'aisec-runtime-dlp-profiles-create',
  filtering: 'aisec-runtime-dlp-filtering-profiles-replace',
  target: 'aisec-redteam-targets-create',
} as const;

/** Their arguments. */
export type DeclaredArguments = Readonly<Record<keyof typeof DECLARING, Arguments>>;

/** The command treats a blank text as missing. */
const NOT_BLANK: Schema = { pattern: '[^ \\t\\r\\n]', title: 'a text that is not blank' };

/** Keywords become the lines of a file. */
const ONE_LINE: Schema = {
  pattern: '^[^\\r\\n]*[^ \\t\\r\\n][^\\r\\n]*$',
  title: 'a text on one line that is not blank',
};

export function guardrailsSchema({ topic, profile, ...declared }: DeclaredArguments) {
  const topicEntry = object(
    'A custom topic. Members that are left out stay as they are.',
    {
      name: argumentValue<string>(topic['topic_name'], NOT_BLANK),
      description: argumentValue<string>(topic['description'], NOT_BLANK),
      examples: {
        ...argumentValue<readonly string[]>(topic['examples'], {
          items: { ...argumentItems(topic['examples']), ...NOT_BLANK },
        }),
        description: 'Example prompts, two to five, in any order.',
      },
    },
    ['name'],
  );
  const profileEntry = object(
    'A security profile. Members that are left out stay as they are.',
    {
      name: argumentValue<string>(profile['profile_name'], NOT_BLANK),
      active: argumentValue<boolean>(profile['active']),
      policy,
    },
    ['name'],
  );
  return object(
    'Custom topics, security profiles, DLP resources and red-team targets for aisec apply.',
    {
      version: { enum: [1], description: 'Version of this format.' },
      topics: list('Custom topics; --prune deletes unlisted topics.', topicEntry),
      profiles: list('Security profiles; --prune deletes unlisted profiles.', profileEntry),
      dlp: dlpSchema(declared),
      targets: list('Red-team targets. Targets that are not listed stay.', targetSchema(declared.target)),
    },
    ['version'],
  );
}

/** DLP resources, which are never deleted. */
function dlpSchema({ dictionary, pattern, dataProfile, filtering }: Omit<DeclaredArguments, 'topic' | 'profile'>) {
  return object('DLP resources. Resources that are not listed stay.', {
    dictionaries: list(
      'Dictionaries.',
      entryOf(dictionary, 'A dictionary.', DICTIONARY, {
        keywords: {
          ...list('Keywords, all of them, in any order.', { ...text('A keyword.'), ...ONE_LINE }),
          minItems: 1,
        },
      }),
    ),
    patterns: list('Data patterns.', entryOf(pattern, 'A data pattern.', PATTERN, {})),
    profiles: list(
      'Data profiles.',
      entryOf(dataProfile, 'A data profile.', DATA_PROFILE, {
        detection_rules: {
          ...argumentValue<readonly JsonObject[]>(dataProfile['detection_rules']),
          description:
            'Detection rules, all of them. An item has the name of a pattern or a dictionary, and multi_profile the names of data_profiles.',
        },
      }),
    ),
    filtering_profiles: list(
      'Filtering profiles. The service makes them with their data profiles.',
      entryOf(filtering, 'A filtering profile.', FILTERING, {
        data_profile: { ...text('Name of the data profile.'), ...NOT_BLANK },
      }),
    ),
  });
}

/** A target; `needs` lists the places of its secrets. */
function targetSchema(args: Arguments) {
  const described = ['description', 'target_type', 'connection_type', 'api_endpoint_type', 'response_mode'] as const;
  return object(
    'A red-team target. Members that are left out stay as they are.',
    {
      name: {
        ...argumentValue<string>(args['name'], NOT_BLANK),
        description: 'Name of the target; it must be unique.',
      },
      ...Object.fromEntries(described.map((name) => [name, argumentValue<unknown>(args[name])])),
      session_supported: argumentValue<boolean>(args['session_supported']),
      connection_params: open('Connection of the target. A secret in it may be @env:NAME or @file:PATH.', {}),
      target_background: open('Background of the target: industry, use_case, competitors.', {}),
      additional_context: open('Technical context of the target: base_model, system_prompt, and others.', {}),
      needs: list(
        'Places of the secrets that an export has left out.',
        text('A place, such as connection_params.api_key.'),
      ),
    },
    ['name'],
  );
}

/** Arguments that are members of an entry. */
const DICTIONARY = ['description', 'category', 'region_name', 'is_case_sensitive'] as const;
const PATTERN = [
  'description',
  'type',
  'detection_technique',
  'supported_confidence_levels',
  'matching_rules',
  'tags',
] as const;
const DATA_PROFILE = ['description', 'is_granular_data_profile'] as const;
const FILTERING = [
  ...['description', 'direction', 'log_severity', 'scan_type', 'file_type', 'file_based', 'non_file_based'],
  ...['is_end_user_coaching_enabled', 'is_granular_profile'],
] as const;

/** An entry whose members are a command's arguments, and others. */
function entryOf(
  args: Arguments,
  description: string,
  names: readonly string[],
  more: Readonly<Record<string, Schema>>,
) {
  const members = Object.fromEntries(names.map((name) => [name, argumentValue<unknown>(args[name])]));
  const name = {
    ...argumentValue<string>(args['name']),
    description: 'Name; it must be unique.',
    ...NOT_BLANK,
    type: 'string',
  };
  return object(`${description} Members that are left out stay as they are.`, { name, ...members, ...more }, ['name']);
}

/** The members as written in the file; without `topics`, the file says nothing about topics. */
export type Guardrails = ValueOf<ReturnType<typeof guardrailsSchema>>;

function argumentValue<T>(argument: Argument | undefined, more: Schema = {}): SchemaOf<T> {
  return { ...argument?.schema, ...more, description: argument?.description };
}

function argumentItems(argument: Argument | undefined): Schema {
  return argument?.schema['items'] as Schema;
}

const action = { ...text('Action; an empty text turns it off.'), examples: ['block', 'alert', 'allow'] };
const urls = (description: string) => open(description, { member: list('Categories.', text('Name of a category.')) });
const rule = (description: string) => open(description, { action });

const topicReference = object(
  'A topic, found by its name: ids differ from tenant to tenant.',
  {
    topic_name: { ...text('Name of a topic of this file or of the tenant.'), ...NOT_BLANK },
    revision: { ...count('Revision to stay at. Default: the newest.'), minimum: 1 },
    topic_id: text('Has no effect, so that the policy of a tenant can be pasted.'),
  },
  ['topic_name'],
);

const protection = open(
  'A detector.',
  {
    name: text('Name of the detector, such as prompt-injection.'),
    action,
    'topic-list': list(
      'Topics by action, all of them; for topic-guardrails.',
      open(
        'Topics with one action.',
        {
          action: { ...action, description: 'Action for prompts that match one of the topics.' },
          topic: list('Topics, all of them.', topicReference),
        },
        ['action'],
      ),
    ),
    'toxic-category-list': list(
      'Actions by category; for toxic-content.',
      open('A category.', { category: text('Name of the category.'), action }, ['category']),
    ),
    options: { type: 'array', description: 'Further options.' },
  },
  ['name'],
);

const detectors = (description: string) => list(`${description} Those that are not listed stay.`, protection);

const configuration = open('Detectors with their actions.', {
  'model-protection': detectors('Detectors of the model.'),
  'agent-protection': detectors('Detectors of agents.'),
  'app-protection': open('Detectors of the application.', {
    'default-url-category': urls('Categories with url-detected-action.'),
    'alert-url-category': urls('Categories that raise an alert.'),
    'block-url-category': urls('Categories that are blocked.'),
    'allow-url-category': urls('Categories that are allowed.'),
    'url-detected-action': action,
    'malicious-code-protection': open('Detector of malicious code.', {
      name: text('Name of the detector.'),
      action,
    }),
  }),
  'data-protection': open('Detectors of data.', {
    'data-leak-detection': open('Data-loss prevention.', {
      action,
      'mask-data-inline': flag('Mask the data in the response of a scan.'),
      member: list(
        'DLP data profiles, all of them.',
        open('A DLP data profile.', { text: text('Name.'), id: text('Identifier.'), version: text('Version.') }, [
          'text',
        ]),
      ),
    }),
    'database-security': { description: 'Actions by kind of statement: a list of detectors, or an object.' },
  }),
  latency: open('What happens if a scan takes too long.', {
    'inline-timeout-action': action,
    'max-inline-latency': count('Seconds.'),
  }),
  'mask-data-in-storage': flag('Mask data in the logs of the service.'),
});

const policy = open('The policy; members that it leaves out stay unchanged.', {
  'ai-security-profiles': list(
    'Detectors by type of model. Types that are not listed stay.',
    open(
      'Detectors for one type of model.',
      {
        'model-type': text('Type of the model, such as default.'),
        'content-type': text('Type of the content.'),
        'model-configuration': configuration,
      },
      ['model-type'],
    ),
  ),
  'dlp-data-profiles': list(
    'DLP data profiles that the policy uses, all of them.',
    open(
      'A DLP data profile.',
      {
        name: text('Name.'),
        uuid: text('UUID.'),
        id: text('Identifier.'),
        version: text('Version.'),
        description: text('Description.'),
        rule1: rule('First rule.'),
        rule2: rule('Second rule.'),
        'log-severity': text('Severity of log entries.'),
        'non-file-based': text('Whether text is checked: yes or no.'),
        'file-based': text('Whether files are checked: yes or no.'),
      },
      ['name'],
    ),
  ),
});
