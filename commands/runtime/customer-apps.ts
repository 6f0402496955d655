import {
  CustomerApp,
  CustomerAppConsumption,
  CustomerAppDeleted,
  CustomerAppGet,
  CustomerAppUpdate,
  CustomerAppViolations,
} from '../../context/runtime/customer-apps.ts';
import { findLatest } from '../../lib/runtime/api/find.ts';
import {
  command,
  email,
  limit,
  management,
  many,
  number,
  offset,
  one,
  path,
  tenant,
  text,
  uuid,
  type Window,
} from '../../lib/runtime/engine/declare.ts';
import { byName, CUSTOMER_APPS } from '../lookups.ts';

const apps = (window: Window = {}, group: string | typeof tenant = tenant) =>
  management.list(path`/v1/mgmt/customerapp/tsg/${group}`, { items: 'customer_apps', ...window });

const app_name = text('Name of the application.', { lookup: byName(CUSTOMER_APPS), required: true, positional: true });

const inWindow = {
  app_id: uuid('Identifier of the application.', { lookup: CUSTOMER_APPS, required: true, positional: true }),
  app_name: text('Name of the application, exactly as in the metadata of its scans.', {
    lookup: byName(CUSTOMER_APPS),
    required: true,
  }),
  time_interval: number('Length of the window, in days.', { choices: ['7', '30', '60'], default: '30' }),
  time_unit: text('Unit of the window.', { choices: ['days'], default: 'days' }),
};

interface InWindow {
  app_id: string;
  app_name: string;
  time_interval: number;
  time_unit: string;
}

const dashboard = ({ app_id, app_name, ...window }: InWindow) => ({ appid: app_id, appname: app_name, ...window });

const WRONG_NAME = 'There is no data for this app_id and app_name: app_name must match the name in the scans exactly.';

export const list = command('aisec-runtime-customer-apps-list', 'List the customer applications.', {
  effect: 'read',
  args: { limit: limit(50), offset: offset({ extension: true }) },
  output: many(CustomerApp),
  call: (args) => apps(args),
});

export const get = command('aisec-runtime-customer-apps-get', 'Get a customer application by name.', {
  effect: 'read',
  args: { app_name },
  output: one(CustomerAppGet),
  example: 'app_name=chat',
  call: ({ app_name }) => management.get(path`/v1/mgmt/customerapp`, { app_name }),
});

export const update = command(
  'aisec-runtime-customer-apps-update',
  'Update a customer application; omitted fields keep their values.',
  {
    effect: 'update',
    args: {
      customer_app_id: uuid('Identifier of the application.', {
        lookup: CUSTOMER_APPS,
        required: true,
        positional: true,
      }),
      app_name: text('Name of the application.', { required: true }),
      cloud_provider: text('Cloud provider of the application.', {
        required: true,
        choices: ['cloud_a', 'cloud_b', 'cloud_c', 'other'],
        tokens: 'cloud',
      }),
      environment: text('Environment of the application.', { required: true, choices: ['prod', 'staging', 'dev'] }),
      tsg_id: text('Tenant services group, a string of digits; by default the configured one.', {
        schema: { pattern: '^[0-9]+$', title: 'a string of digits' },
      }),
      model_name: text('AI model that the application uses.'),
      ai_agent_framework: text('Agent framework of the application.'),
      updated_by: email('Email address of the person who updates the application.'),
    },
    output: one(CustomerAppUpdate),
    example:
      'customer_app_id=0b8f6c1e-2d3a-4f5b-8c7d-9e0f1a2b3c4d app_name=chat cloud_provider=cloud_a environment=prod',
    run: async ({ customer_app_id, tsg_id, ...args }, tools) => {
      // The service replaces the whole record, so read omitted members first.
      const group = tsg_id ?? tools.tenant();
      const current = await findLatest(tools.api, apps({}, group), 'customer app', { customer_appId: customer_app_id });
      const { model_name = current['model_name'], ai_agent_framework = current['ai_agent_framework'] } = args;
      const body = { ...args, tsg_id: group, model_name, ai_agent_framework };
      return tools.api.fetch({ ...management.put(path`/v1/mgmt/customerapp`, body), query: { customer_app_id } });
    },
  },
);

export const consumption = command(
  'aisec-runtime-customer-apps-consumption',
  'Show tokens, sessions and violations of an application over 7, 30 or 60 days.',
  {
    effect: 'read',
    args: inWindow,
    output: one(CustomerAppConsumption),
    example: 'app_id=0b8f6c1e-2d3a-4f5b-8c7d-9e0f1a2b3c4d app_name=chat time_interval=7',
    call: (args) => management.get(path`/v1/mgmt/dashboard/v2/apps/application`, dashboard(args)),
    notes: ({ token_stats, session_stats }) => [token_stats || session_stats ? undefined : WRONG_NAME],
  },
);

export const violations = command(
  'aisec-runtime-customer-apps-violations',
  'Show violations of an application by detector over 7, 30 or 60 days.',
  {
    effect: 'read',
    args: inWindow,
    output: one(CustomerAppViolations),
    example: 'app_id=0b8f6c1e-2d3a-4f5b-8c7d-9e0f1a2b3c4d app_name=chat',
    call: (args) => management.get(path`/v1/mgmt/dashboard/v2/apps/applicationviolationbreakdown`, dashboard(args)),
    notes: ({ detection_type_violation_breakdown: detectors }) => [
      Array.isArray(detectors) && detectors.length > 0 ? undefined : `No violations. ${WRONG_NAME}`,
    ],
  },
);

export const remove = command(
  'aisec-runtime-customer-apps-delete',
  'Delete a customer application; all of its API keys are revoked.',
  {
    effect: 'delete',
    args: {
      app_name,
      updated_by: email('Email address of the person who deletes the application.', { required: true }),
    },
    output: one(CustomerAppDeleted),
    example: 'app_name=chat updated_by=ana@example.com',
    call: (args) => management.delete(path`/v1/mgmt/customerapp`, args),
  },
);
