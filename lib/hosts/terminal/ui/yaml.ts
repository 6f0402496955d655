import { Document, isScalar, type Tags, visit } from 'yaml';

/** Texts that a reader of YAML 1.1 or 1.2 might take for another type, or for the end of a line. */
const WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
const PLAIN_START = /^\p{L}/u;
const PLAIN_END = /\S$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must be quoted
const SPECIAL = /[\u0000-\u0009\u000b-\u001f\u007f-\u00a0\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]/;
/** Such characters stand in double quotes only, so an escape means the same. */
const UNESCAPED = /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Writes YAML that readers of versions 1.1 and 1.2 understand alike: texts such as `yes`, `0o7` or `1:30` are quoted. */
export function yamlText(value: unknown): string {
  const document = new Document(value ?? null, {
    version: '1.1',
    customTags: withoutMerge,
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar: (_, node) => {
      if (isScalar(node) && typeof node.value === 'string' && !isPlain(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  // Without the directive, because each version reads it.
  if (document.directives !== undefined) document.directives.docStart = null;
  return document
    .toString({ lineWidth: 0, directives: false })
    .replace(UNESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .trimEnd();
}

/** The tag of merge keys writes a text `<<` without quotes. */
function withoutMerge(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:merge');
}

function isPlain(text: string): boolean {
  return PLAIN_START.test(text) && PLAIN_END.test(text) && !SPECIAL.test(text) && !WORD.test(text);
}
