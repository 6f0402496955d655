/** Splits queries into stems, and knows their synonyms. */

/** Stop words: they do not distinguish commands. */
const EMPTY = new Set(
  'a an the my our your its their of for to in on is are be me i we you it there this that these those and or by from at with have has had was were do does did can could should would please what how which who us up out need want let lets some into against about so if any all not no own whose'.split(
    ' ',
  ),
);

/** Synonyms by stem, from the words of the field to those of the declarations. */
const SAME: Readonly<Record<string, string>> = {
  start: 'create scan',
  run: 'create scan',
  launch: 'create scan',
  begin: 'create scan',
  trigger: 'create scan',
  schedule: 'create scan',
  new: 'create',
  add: 'create',
  make: 'create',
  register: 'create',
  define: 'create',
  issue: 'create',
  generate: 'create',
  onboard: 'create',
  remove: 'delete',
  erase: 'delete',
  drop: 'delete',
  destroy: 'delete',
  revoke: 'delete',
  change: 'update patch replace',
  edit: 'update patch replace',
  modify: 'update patch replace',
  rename: 'update',
  overwrite: 'replace',
  show: 'get list',
  display: 'get list',
  view: 'get list',
  see: 'get list',
  read: 'get',
  fetch: 'get',
  look: 'get list',
  detail: 'get',
  find: 'list get',
  enumerate: 'list',
  stop: 'abort',
  cancel: 'abort',
  kill: 'abort',
  halt: 'abort',
  interrupt: 'abort',
  attack: 'redteam scan',
  test: 'redteam scan',
  red: 'redteam',
  team: 'redteam',
  pentest: 'redteam scan create',
  penetration: 'redteam scan create',
  hack: 'redteam scan create',
  adversarial: 'redteam attack',
  offensive: 'redteam',
  chatbot: 'target',
  bot: 'target',
  assistant: 'target',
  agent: 'target',
  endpoint: 'target',
  app: 'application app',
  guardrail: 'profile security',
  policy: 'profile security',
  firewall: 'profile',
  secret: 'key',
  token: 'key',
  rotate: 'regenerate',
  renew: 'regenerate',
  refresh: 'regenerate',
  regex: 'pattern',
  pii: 'dlp pattern',
  sensitive: 'dlp',
  leak: 'dlp',
  wordlist: 'dictionary',
  keyword: 'dictionary',
  term: 'dictionary',
  subject: 'topic',
  theme: 'topic',
  result: 'report',
  finding: 'report',
  outcome: 'report',
  vulnerability: 'report violation',
  weakness: 'report',
  summary: 'report overview',
  fix: 'remediation',
  mitigate: 'remediation',
  mitigation: 'remediation',
  remediate: 'remediation',
  progress: 'get status',
  state: 'status get',
  status: 'get',
  failure: 'error',
  fail: 'error',
  failed: 'error',
  artifact: 'model',
  weight: 'model',
  checkpoint: 'model',
  pickle: 'model file',
  tag: 'label',
  category: 'categories',
  dataset: 'prompt set',
  batch: 'bulk',
  many: 'bulk',
  credit: 'quota',
  allowance: 'quota',
  license: 'licence eula',
  licence: 'eula',
  agreement: 'eula licence',
  export: 'download',
  save: 'download',
  import: 'upload',
  usage: 'consumption',
  consume: 'consumption',
  trend: 'trend score',
  history: 'trend list',
  rate: 'vote sentiment',
  feedback: 'sentiment vote',
  question: 'prompt',
  message: 'prompt',
  input: 'prompt',
  answer: 'response',
  conversation: 'multi turn',
};

/** Splits a text into stems, without stop words. */
export function stemsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.filter((word) => !EMPTY.has(word)).map(stem);
}

/** Lists the synonyms of a stem. */
export function sameAs(word: string): readonly string[] {
  return SAME_STEMS.get(word) ?? [];
}

/** Removes the endings of plurals and verbs: `policies` and `policy`, `scanning` and `scan` have one stem. */
function stem(word: string): string {
  if (word.length < 4) return word;
  const one = word
    .replace(/ies$/, 'y')
    .replace(/([^s])s$/, '$1')
    .replace(/(?<=..[^aeiou])(?:ing|ed)$/, '');
  return one.replace(/([bdgmnpt])\1$/, '$1').replace(/(?<=...)e$/, '');
}

const SAME_STEMS = new Map(Object.entries(SAME).map(([word, others]) => [stem(word), others.split(' ').map(stem)]));
