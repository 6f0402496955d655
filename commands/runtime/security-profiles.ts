import {
  SecurityProfile,
  SecurityProfileCreate,
  SecurityProfileDeleted,
  SecurityProfileGet,
  SecurityProfileUpdate,
} from '../../context/runtime/security-profiles.ts';
import { findLatest, latestOf, listAll, readMember } from '../../lib/runtime/api/find.ts';
import { needs, oneOf } from '../../lib/runtime/arguments/rules.ts';
import {
  asText,
  command,
  email,
  flag,
  json,
  limit,
  management,
  many,
  offset,
  one,
  path,
  tenant,
  text,
  uuid,
  type Window,
} from '../../lib/runtime/engine/declare.ts';
import { byName, SECURITY_PROFILES } from '../lookups.ts';
import { readPolicy } from './policy-base.ts';

/** Builds the request for all profiles: the service cannot return a single profile. */
export const profiles = (window: Window = {}) =>
  management.list(path`/v1/mgmt/profiles/tsg/${tenant}`, { items: 'ai_profiles', ...window });

type Policy = Readonly<Record<string, unknown>>;

const EMPTY_POLICY: Policy = { 'ai-security-profiles': [], 'dlp-data-profiles': [] };
const OBJECTS = { type: 'array', items: { type: 'object' } };

const policy = json<Policy>()('Policy of the profile, as a JSON object.', {
  type: 'object',
  properties: { 'ai-security-profiles': OBJECTS, 'dlp-data-profiles': OBJECTS },
});
const profile_id = uuid('Identifier of the security profile.', {
  lookup: SECURITY_PROFILES,
  required: true,
  positional: true,
});

export const list = command('aisec-runtime-profiles-list', 'List the security profiles.', {
  effect: 'read',
  args: { limit: limit(50), offset: offset({ extension: true }) },
  output: many(SecurityProfile),
  call: (args) => profiles(args),
});

export const get = command(
  'aisec-runtime-profiles-get',
  'Get a security profile by id, or the highest revision by name.',
  {
    effect: 'read',
    args: {
      profile_id: uuid('Identifier of the security profile.', { lookup: SECURITY_PROFILES }),
      profile_name: text('Name of the security profile; its highest revision is returned.', {
        lookup: byName(SECURITY_PROFILES),
        positional: true,
      }),
    },
    rules: [oneOf('profile_id', 'profile_name')],
    output: one(SecurityProfileGet),
    example: 'profile_name=prod',
    run: (wanted, { api }) => findLatest(api, profiles(), 'security profile', wanted),
  },
);

export const create = command('aisec-runtime-profiles-create', 'Create a security profile.', {
  effect: 'create',
  args: {
    profile_name: text('Name of the security profile; it must be unique.', { required: true, positional: true }),
    active: flag('Active state of the profile.', { default: 'true' }),
    policy,
  },
  output: one(SecurityProfileCreate),
  example: 'profile_name=prod',
  call: ({ policy, ...args }) => management.post(path`/v1/mgmt/profile`, { ...args, policy: policy ?? EMPTY_POLICY }),
});

export const update = command(
  'aisec-runtime-profiles-update',
  'Update a security profile: its revision increases, and omitted fields keep their values.',
  {
    effect: 'update',
    args: {
      profile_id,
      profile_name: text('Name of the security profile; it may stay the same.', { required: true }),
      active: flag('Active state of the profile.'),
      policy,
    },
    output: one(SecurityProfileUpdate),
    example: 'profile_id=2f9a1c3e-5b7d-4e8f-a1b2-c3d4e5f60718 profile_name=prod active=false',
    run: async ({ profile_id, ...args }, { api, note }) => {
      // The service replaces the whole profile, so read omitted members first.
      const records = await listAll(api, profiles(), 'security profile');
      const named = latestOf(records, 'security profile', { profile_id });
      const current = latestOf(records, 'security profile', { profile_name: asText(named['profile_name']) });
      if (current['profile_id'] !== profile_id) {
        note(
          `${profile_id} is an older revision: omitted fields are taken from revision ${asText(current['revision'])}.`,
        );
      }
      const hint = 'Try again, or give active=true or active=false in the same command.';
      const {
        active = readMember(current, 'active', 'security profile', hint),
        policy = readPolicy(current),
        profile_name,
      } = args;
      return api.fetch(management.put(path`/v1/mgmt/profile/uuid/${profile_id}`, { profile_name, active, policy }));
    },
  },
);

export const remove = command('aisec-runtime-profiles-delete', 'Delete a security profile; this cannot be undone.', {
  effect: 'delete',
  args: {
    profile_id,
    force: flag('Delete the profile even if it is in use.', { default: 'false' }),
    updated_by: email('Email address of the person who deletes the profile; required with force.'),
  },
  rules: [needs('force', true, 'updated_by')],
  output: one(SecurityProfileDeleted),
  hints: { 409: 'Remove it from the policies above, or repeat with force=true updated_by=<email>.' },
  example: 'profile_id=2f9a1c3e-5b7d-4e8f-a1b2-c3d4e5f60718',
  call: ({ profile_id, force, updated_by }) =>
    force
      ? management.delete(path`/v1/mgmt/profile/${profile_id}/force`, { updated_by })
      : management.delete(path`/v1/mgmt/profile/${profile_id}`),
});
