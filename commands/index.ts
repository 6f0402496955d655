/** The registry: every command, loaded when it is first used. Written by `npm run generate` from this folder. */
import type { Registry } from '../lib/command.ts';

export const registry: Registry = {
  'aisec-runtime-api-keys-list': () => import('./runtime/api-keys.ts').then((module) => module.list),
  'aisec-runtime-api-keys-create': () => import('./runtime/api-keys.ts').then((module) => module.create),
  'aisec-runtime-api-keys-regenerate': () => import('./runtime/api-keys.ts').then((module) => module.regenerate),
  'aisec-runtime-api-keys-delete': () => import('./runtime/api-keys.ts').then((module) => module.remove),
  'aisec-runtime-customer-apps-list': () => import('./runtime/customer-apps.ts').then((module) => module.list),
  'aisec-runtime-customer-apps-get': () => import('./runtime/customer-apps.ts').then((module) => module.get),
  'aisec-runtime-customer-apps-update': () => import('./runtime/customer-apps.ts').then((module) => module.update),
  'aisec-runtime-customer-apps-consumption': () =>
    import('./runtime/customer-apps.ts').then((module) => module.consumption),
  'aisec-runtime-customer-apps-violations': () =>
    import('./runtime/customer-apps.ts').then((module) => module.violations),
  'aisec-runtime-customer-apps-delete': () => import('./runtime/customer-apps.ts').then((module) => module.remove),
  'aisec-runtime-deployment-profiles-list': () =>
    import('./runtime/deployment-profiles.ts').then((module) => module.list),
  'aisec-runtime-scan': () => import('./runtime/scan.ts').then((module) => module.scan),
  'aisec-runtime-profiles-list': () => import('./runtime/security-profiles.ts').then((module) => module.list),
  'aisec-runtime-profiles-get': () => import('./runtime/security-profiles.ts').then((module) => module.get),
  'aisec-runtime-profiles-create': () => import('./runtime/security-profiles.ts').then((module) => module.create),
  'aisec-runtime-profiles-update': () => import('./runtime/security-profiles.ts').then((module) => module.update),
  'aisec-runtime-profiles-delete': () => import('./runtime/security-profiles.ts').then((module) => module.remove),
  'aisec-runtime-topics-list': () => import('./runtime/topics.ts').then((module) => module.list),
  'aisec-runtime-topics-get': () => import('./runtime/topics.ts').then((module) => module.get),
  'aisec-runtime-topics-create': () => import('./runtime/topics.ts').then((module) => module.create),
  'aisec-runtime-topics-update': () => import('./runtime/topics.ts').then((module) => module.update),
  'aisec-runtime-topics-delete': () => import('./runtime/topics.ts').then((module) => module.remove),
  'aisec-runtime-topics-apply': () => import('./runtime/topics.ts').then((module) => module.apply),
};
