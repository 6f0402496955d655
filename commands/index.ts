/** The registry: every command, loaded when it is first used. Written by `npm run generate` from this folder. */
import type { Registry } from '../lib/command.ts';

export const registry: Registry = {
  'aisec-runtime-api-keys-list': () => import('./runtime/api-keys.ts').then((module) => module.list),
  'aisec-runtime-api-keys-create': () => import('./runtime/api-keys.ts').then((module) => module.create),
  'aisec-runtime-api-keys-regenerate': () => import('./runtime/api-keys.ts').then((module) => module.regenerate),
  'aisec-runtime-api-keys-delete': () => import('./runtime/api-keys.ts').then((module) => module.remove),
  'aisec-runtime-bulk-scan': () => import('./runtime/bulk-scan.ts').then((module) => module.bulkScan),
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
  'aisec-runtime-dlp-dictionaries-list': () => import('./runtime/dlp-dictionaries.ts').then((module) => module.list),
  'aisec-runtime-dlp-dictionaries-get': () => import('./runtime/dlp-dictionaries.ts').then((module) => module.get),
  'aisec-runtime-dlp-dictionaries-create': () =>
    import('./runtime/dlp-dictionaries.ts').then((module) => module.create),
  'aisec-runtime-dlp-dictionaries-patch': () => import('./runtime/dlp-dictionaries.ts').then((module) => module.patch),
  'aisec-runtime-dlp-dictionaries-replace': () =>
    import('./runtime/dlp-dictionaries.ts').then((module) => module.replace),
  'aisec-runtime-dlp-dictionaries-delete': () =>
    import('./runtime/dlp-dictionaries.ts').then((module) => module.remove),
  'aisec-runtime-dlp-filtering-profiles-list': () =>
    import('./runtime/dlp-filtering-profiles.ts').then((module) => module.list),
  'aisec-runtime-dlp-filtering-profiles-get': () =>
    import('./runtime/dlp-filtering-profiles.ts').then((module) => module.get),
  'aisec-runtime-dlp-filtering-profiles-replace': () =>
    import('./runtime/dlp-filtering-profiles.ts').then((module) => module.replace),
  'aisec-runtime-dlp-patterns-list': () => import('./runtime/dlp-patterns.ts').then((module) => module.list),
  'aisec-runtime-dlp-patterns-get': () => import('./runtime/dlp-patterns.ts').then((module) => module.get),
  'aisec-runtime-dlp-patterns-create': () => import('./runtime/dlp-patterns.ts').then((module) => module.create),
  'aisec-runtime-dlp-patterns-patch': () => import('./runtime/dlp-patterns.ts').then((module) => module.patch),
  'aisec-runtime-dlp-patterns-replace': () => import('./runtime/dlp-patterns.ts').then((module) => module.replace),
  'aisec-runtime-dlp-patterns-delete': () => import('./runtime/dlp-patterns.ts').then((module) => module.remove),
  'aisec-runtime-dlp-profiles-list': () => import('./runtime/dlp-profiles.ts').then((module) => module.list),
  'aisec-runtime-dlp-profiles-get': () => import('./runtime/dlp-profiles.ts').then((module) => module.get),
  'aisec-runtime-dlp-profiles-create': () => import('./runtime/dlp-profiles.ts').then((module) => module.create),
  'aisec-runtime-dlp-profiles-patch': () => import('./runtime/dlp-profiles.ts').then((module) => module.patch),
  'aisec-runtime-dlp-profiles-replace': () => import('./runtime/dlp-profiles.ts').then((module) => module.replace),
  'aisec-runtime-dlp-profiles-delete': () => import('./runtime/dlp-profiles.ts').then((module) => module.remove),
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
  'aisec-redteam-adapters-list': () => import('./red-team/adapters.ts').then((module) => module.list),
  'aisec-redteam-adapters-get': () => import('./red-team/adapters.ts').then((module) => module.get),
  'aisec-redteam-adapters-create': () => import('./red-team/adapters.ts').then((module) => module.create),
  'aisec-redteam-adapters-update': () => import('./red-team/adapters.ts').then((module) => module.update),
  'aisec-redteam-adapters-delete': () => import('./red-team/adapters.ts').then((module) => module.remove),
  'aisec-redteam-adapters-validate': () => import('./red-team/adapters.ts').then((module) => module.check),
  'aisec-redteam-custom-attack-report-get': () =>
    import('./red-team/custom-attacks.ts').then((module) => module.report),
  'aisec-redteam-custom-attack-report-prompt-sets': () =>
    import('./red-team/custom-attacks.ts').then((module) => module.promptSets),
  'aisec-redteam-custom-attack-report-prompts': () =>
    import('./red-team/custom-attacks.ts').then((module) => module.prompts),
  'aisec-redteam-custom-attack-report-prompt-get': () =>
    import('./red-team/custom-attacks.ts').then((module) => module.prompt),
  'aisec-redteam-custom-attacks-list': () => import('./red-team/custom-attacks.ts').then((module) => module.attacks),
  'aisec-redteam-custom-attack-outputs': () => import('./red-team/custom-attacks.ts').then((module) => module.outputs),
  'aisec-redteam-custom-attack-property-stats': () =>
    import('./red-team/custom-attacks.ts').then((module) => module.propertyStats),
  'aisec-redteam-dashboard-scan-statistics': () =>
    import('./red-team/dashboard.ts').then((module) => module.scanStatistics),
  'aisec-redteam-dashboard-score-trend': () => import('./red-team/dashboard.ts').then((module) => module.scoreTrend),
  'aisec-redteam-metering-quota': () => import('./red-team/dashboard.ts').then((module) => module.quota),
  'aisec-redteam-dashboard-overview': () => import('./red-team/dashboard.ts').then((module) => module.overview),
  'aisec-redteam-devices-create': () => import('./red-team/devices.ts').then((module) => module.create),
  'aisec-redteam-devices-update': () => import('./red-team/devices.ts').then((module) => module.update),
  'aisec-redteam-devices-delete': () => import('./red-team/devices.ts').then((module) => module.remove),
  'aisec-redteam-instances-create': () => import('./red-team/instances.ts').then((module) => module.create),
  'aisec-redteam-instances-get': () => import('./red-team/instances.ts').then((module) => module.get),
  'aisec-redteam-instances-update': () => import('./red-team/instances.ts').then((module) => module.update),
  'aisec-redteam-instances-delete': () => import('./red-team/instances.ts').then((module) => module.remove),
  'aisec-redteam-languages-list': () => import('./red-team/languages.ts').then((module) => module.list),
  'aisec-redteam-eula-status': () => import('./red-team/licence.ts').then((module) => module.status),
  'aisec-redteam-eula-content': () => import('./red-team/licence.ts').then((module) => module.content),
  'aisec-redteam-eula-accept': () => import('./red-team/licence.ts').then((module) => module.accept),
  'aisec-redteam-network-channels-list': () => import('./red-team/network-channels.ts').then((module) => module.list),
  'aisec-redteam-network-channels-create': () =>
    import('./red-team/network-channels.ts').then((module) => module.create),
  'aisec-redteam-network-channels-stats': () => import('./red-team/network-channels.ts').then((module) => module.stats),
  'aisec-redteam-network-channels-get': () => import('./red-team/network-channels.ts').then((module) => module.get),
  'aisec-redteam-network-channels-update': () =>
    import('./red-team/network-channels.ts').then((module) => module.update),
  'aisec-redteam-registry-credentials-get': () =>
    import('./red-team/registry-credentials.ts').then((module) => module.get),
  'aisec-redteam-report-attacks-list': () => import('./red-team/report-attacks.ts').then((module) => module.list),
  'aisec-redteam-report-attack-get': () => import('./red-team/report-attacks.ts').then((module) => module.get),
  'aisec-redteam-report-attack-multi-turn-get': () =>
    import('./red-team/report-attacks.ts').then((module) => module.getMultiTurn),
  'aisec-redteam-report-goals-list': () => import('./red-team/report-goals.ts').then((module) => module.goals),
  'aisec-redteam-report-goal-streams-list': () => import('./red-team/report-goals.ts').then((module) => module.streams),
  'aisec-redteam-report-stream-get': () => import('./red-team/report-goals.ts').then((module) => module.stream),
  'aisec-redteam-report-get': () => import('./red-team/reports.ts').then((module) => module.get),
  'aisec-redteam-report-remediation-get': () => import('./red-team/reports.ts').then((module) => module.remediation),
  'aisec-redteam-report-runtime-policy-get': () =>
    import('./red-team/reports.ts').then((module) => module.runtimePolicy),
  'aisec-redteam-report-download': () => import('./red-team/reports.ts').then((module) => module.download),
  'aisec-redteam-report-generate-partial': () =>
    import('./red-team/reports.ts').then((module) => module.generatePartial),
  'aisec-redteam-sentiment-get': () => import('./red-team/reports.ts').then((module) => module.sentiment),
  'aisec-redteam-sentiment-update': () => import('./red-team/reports.ts').then((module) => module.updateSentiment),
  'aisec-redteam-scan-create': () => import('./red-team/scans.ts').then((module) => module.create),
  'aisec-redteam-scans-list': () => import('./red-team/scans.ts').then((module) => module.list),
  'aisec-redteam-scan-get': () => import('./red-team/scans.ts').then((module) => module.get),
  'aisec-redteam-scan-abort': () => import('./red-team/scans.ts').then((module) => module.abort),
  'aisec-redteam-scan-error-logs': () => import('./red-team/scans.ts').then((module) => module.errorLogs),
  'aisec-redteam-categories-list': () => import('./red-team/scans.ts').then((module) => module.categories),
  'aisec-redteam-targets-list': () => import('./red-team/targets.ts').then((module) => module.list),
  'aisec-redteam-targets-create': () => import('./red-team/targets.ts').then((module) => module.create),
  'aisec-redteam-targets-get': () => import('./red-team/targets.ts').then((module) => module.get),
  'aisec-redteam-targets-update': () => import('./red-team/targets.ts').then((module) => module.update),
  'aisec-redteam-targets-delete': () => import('./red-team/targets.ts').then((module) => module.remove),
  'aisec-redteam-targets-probe': () => import('./red-team/targets.ts').then((module) => module.probe),
  'aisec-redteam-targets-profile': () => import('./red-team/targets.ts').then((module) => module.profile),
  'aisec-redteam-targets-update-profile': () => import('./red-team/targets.ts').then((module) => module.updateProfile),
  'aisec-redteam-targets-metadata': () => import('./red-team/targets.ts').then((module) => module.metadata),
  'aisec-redteam-targets-validate-auth': () => import('./red-team/targets.ts').then((module) => module.validateAuth),
  'aisec-redteam-targets-templates': () => import('./red-team/targets.ts').then((module) => module.templates),
  'aisec-redteam-targets-error-logs': () => import('./red-team/targets.ts').then((module) => module.errorLogs),
  'aisec-model-security-labels-keys': () => import('./model-security/labels.ts').then((module) => module.keys),
  'aisec-model-security-labels-values': () => import('./model-security/labels.ts').then((module) => module.values),
  'aisec-model-security-labels-add': () => import('./model-security/labels.ts').then((module) => module.add),
  'aisec-model-security-labels-set': () => import('./model-security/labels.ts').then((module) => module.set),
  'aisec-model-security-labels-delete': () => import('./model-security/labels.ts').then((module) => module.remove),
  'aisec-model-security-models-list': () => import('./model-security/models.ts').then((module) => module.list),
  'aisec-model-security-models-get': () => import('./model-security/models.ts').then((module) => module.get),
  'aisec-model-security-models-versions': () => import('./model-security/models.ts').then((module) => module.versions),
  'aisec-model-security-models-version-get': () =>
    import('./model-security/models.ts').then((module) => module.versionGet),
  'aisec-model-security-models-files': () => import('./model-security/models.ts').then((module) => module.files),
  'aisec-model-security-rule-instances-list': () =>
    import('./model-security/rule-instances.ts').then((module) => module.list),
  'aisec-model-security-rule-instances-get': () =>
    import('./model-security/rule-instances.ts').then((module) => module.get),
  'aisec-model-security-rule-instances-update': () =>
    import('./model-security/rule-instances.ts').then((module) => module.update),
  'aisec-model-security-scans-list': () => import('./model-security/scans.ts').then((module) => module.list),
  'aisec-model-security-scans-create': () => import('./model-security/scans.ts').then((module) => module.create),
  'aisec-model-security-scans-get': () => import('./model-security/scans.ts').then((module) => module.get),
  'aisec-model-security-scans-violations': () =>
    import('./model-security/scans.ts').then((module) => module.violations),
  'aisec-model-security-scans-violation': () => import('./model-security/scans.ts').then((module) => module.violation),
  'aisec-model-security-scans-evaluation': () =>
    import('./model-security/scans.ts').then((module) => module.evaluation),
  'aisec-model-security-scans-evaluations': () =>
    import('./model-security/scans.ts').then((module) => module.evaluations),
  'aisec-model-security-scans-files': () => import('./model-security/scans.ts').then((module) => module.files),
  'aisec-model-security-groups-list': () => import('./model-security/security-groups.ts').then((module) => module.list),
  'aisec-model-security-groups-get': () => import('./model-security/security-groups.ts').then((module) => module.get),
  'aisec-model-security-groups-create': () =>
    import('./model-security/security-groups.ts').then((module) => module.create),
  'aisec-model-security-groups-update': () =>
    import('./model-security/security-groups.ts').then((module) => module.update),
  'aisec-model-security-groups-delete': () =>
    import('./model-security/security-groups.ts').then((module) => module.remove),
  'aisec-model-security-rules-list': () => import('./model-security/security-rules.ts').then((module) => module.list),
  'aisec-model-security-rules-get': () => import('./model-security/security-rules.ts').then((module) => module.get),
};
