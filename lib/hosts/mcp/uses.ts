/** Phrases that people use for a command, but that its declaration lacks. */
export const USES: Readonly<Record<string, string>> = {
  'aisec-runtime-scan':
    'check prompt injection; is this prompt safe, malicious, toxic, harmful; moderate, inspect, screen, analyze, classify a message or response; detect jailbreak, pii or sensitive data in text',
  'aisec-runtime-bulk-scan': 'check a list, file, csv or batch of prompts, many at once; evaluate a dataset of prompts',
  'aisec-runtime-profiles-create': 'make a new guardrail, policy or firewall',
  'aisec-runtime-profiles-list': 'which guardrails and policies exist',
  'aisec-runtime-profiles-update':
    'turn on a detector, change a guardrail, block or alert, tighten, enable, disable protection',
  'aisec-runtime-api-keys-regenerate': 'rotate, renew, roll, refresh an api key, token or credential that has leaked',
  'aisec-runtime-api-keys-create': 'issue an api key or token for an application',
  'aisec-runtime-api-keys-delete': 'revoke an api key, remove a token',
  'aisec-runtime-topics-create': 'forbid, ban or block a subject; define a forbidden topic',
  'aisec-runtime-topics-apply': 'forbid, ban or block a topic in a guardrail; attach a topic to a profile',
  'aisec-runtime-dlp-patterns-create':
    'detect credit card or social security numbers, custom regex or regular expression for sensitive data',
  'aisec-runtime-dlp-dictionaries-create': 'upload a keyword list, word list of confidential terms',
  'aisec-runtime-dlp-profiles-list': 'data loss prevention, data leak rules',
  'aisec-runtime-customer-apps-consumption': 'usage, how many tokens an app used, traffic',
  'aisec-runtime-customer-apps-violations': 'what was blocked, incidents, detections, threats of an application',
  'aisec-runtime-customer-apps-list': 'which apps are protected',
  'aisec-redteam-scan-create':
    'attack my chatbot, bot, assistant, agent, endpoint or llm; jailbreak it; launch, start or run a red team test, assessment or simulated attack; pentest; is my bot vulnerable; prompt injection testing of a target',
  'aisec-redteam-scan-abort': 'stop, cancel, kill an attack or a running red team scan',
  'aisec-redteam-scan-get': 'is the red team scan done, finished, ready; progress or status of the attack',
  'aisec-redteam-scans-list': 'past, recent, previous, running red team tests and attacks',
  'aisec-redteam-scan-error-logs': 'why did the red team scan fail, troubleshoot, debug',
  'aisec-redteam-report-get': 'how did the attack go, results, findings, score, attack success rate, vulnerabilities',
  'aisec-redteam-report-attacks-list': 'which attacks or jailbreaks succeeded, worked, got through, bypassed',
  'aisec-redteam-report-remediation-get':
    'how to fix, mitigate, harden against vulnerabilities and findings; recommendations',
  'aisec-redteam-report-runtime-policy-get':
    'which guardrail would have stopped, blocked or prevented the attacks; recommended profile',
  'aisec-redteam-report-download': 'export the red team report or results as a zip or csv file',
  'aisec-redteam-targets-create': 'register, add, onboard, connect a chatbot, bot, endpoint, agent or llm',
  'aisec-redteam-targets-list': 'which chatbots, bots, endpoints or agents are there, and can we attack',
  'aisec-redteam-targets-probe': 'discover what a target is, fingerprint, reconnaissance',
  'aisec-redteam-targets-validate-auth': 'can we log in, sign in, test credentials of a target',
  'aisec-redteam-targets-error-logs': 'why is the target unreachable, connection failure, troubleshoot a target',
  'aisec-redteam-categories-list':
    'which kinds or types of attacks exist; jailbreak, toxicity, bias, compliance categories',
  'aisec-redteam-prompt-sets-create': 'make a custom attack set, own prompts dataset for red team',
  'aisec-redteam-prompt-sets-upload': 'import my own attack prompts from a csv file',
  'aisec-redteam-custom-attacks-list': 'results of my own attack prompts',
  'aisec-redteam-metering-quota': 'how many scans are left, remaining credits, budget, usage limit',
  'aisec-redteam-dashboard-overview': 'statistics, summary, posture, how many targets',
  'aisec-redteam-dashboard-score-trend': 'is the risk score getting better or worse, trend, history over time',
  'aisec-redteam-eula-accept': 'agree to the terms, sign the license',
  'aisec-redteam-languages-list': 'which languages, translate attacks, multilingual',
  'aisec-redteam-sentiment-update': 'rate a report, thumbs up or down, give feedback',
  'aisec-redteam-network-channels-create':
    'reach an internal, private or on premises target behind a firewall, tunnel, vpn',
  'aisec-model-security-scans-create':
    'is this model safe; check a huggingface model, pickle, weights, artifact or checkpoint for malware, backdoor or malicious code; supply chain',
  'aisec-model-security-scans-violations':
    'what is wrong with the model, problems, issues, malware found in a model, why was it blocked',
  'aisec-model-security-scans-list': 'past, recent model checks, which models were scanned',
  'aisec-model-security-models-list': 'inventory of models, which models do we use',
  'aisec-model-security-rule-instances-update': 'disable, enable, block, allow or turn off a model rule; exception',
  'aisec-model-security-rules-list': 'which checks are done on models, supply chain policy',
  'aisec-model-security-groups-create': 'make a policy for models of a source',
  'aisec-model-security-labels-add': 'tag a model scan',
};
