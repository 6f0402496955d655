/** Splits queries into stems, and knows their synonyms. */

/** Stop words: they do not distinguish commands. */
const EMPTY = new Set(
  'a an the my our your its their of for to in on is are be me i we you it there this that these those and or by from at with have has had was were do does did can could should would please what how which who us up out need want let lets some into against about so if any all not no own whose'.split(
    ' ',
  ),
);

/** Everyday words, by the words of the declarations that they may stand for. */
const SAID: Readonly<Record<string, string>> = {
  'create scan': 'start run launch begin trigger schedule',
  create: 'new add make register define issue generate onboard',
  delete: 'remove erase drop destroy revoke',
  'update patch replace': 'change edit modify',
  update: 'rename',
  replace: 'overwrite',
  'get list': 'show display view see look find',
  get: 'read fetch detail status',
  list: 'enumerate',
  abort: 'stop cancel kill halt interrupt',
  'redteam scan': 'attack test',
  redteam: 'red team offensive',
  'redteam scan create': 'pentest penetration hack',
  'redteam attack': 'adversarial',
  target: 'chatbot bot assistant agent endpoint',
  'application app': 'app',
  'profile security': 'guardrail policy',
  profile: 'firewall',
  key: 'secret token',
  regenerate: 'rotate renew refresh',
  pattern: 'regex',
  'dlp pattern': 'pii',
  dlp: 'sensitive leak',
  dictionary: 'wordlist keyword term',
  topic: 'subject theme',
  report: 'result finding outcome weakness',
  'report violation': 'vulnerability',
  'report overview': 'summary',
  remediation: 'fix mitigate mitigation remediate',
  'get status': 'progress state',
  error: 'failure fail failed',
  model: 'artifact weight checkpoint',
  'model file': 'pickle',
  label: 'tag',
  categories: 'category',
  'prompt set': 'dataset',
  bulk: 'batch many',
  quota: 'credit allowance',
  'licence eula': 'license agreement',
  eula: 'licence',
  download: 'export save',
  upload: 'import',
  consumption: 'usage consume',
  'trend score': 'trend',
  'trend list': 'history',
  'vote sentiment': 'rate feedback',
  prompt: 'question message input',
  response: 'answer',
  'multi turn': 'conversation',
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

const SAME_STEMS = new Map(
  Object.entries(SAID).flatMap(([others, words]) => {
    const stems = others.split(' ').map(stem);
    return words.split(' ').map((word) => [stem(word), stems] as const);
  }),
);
