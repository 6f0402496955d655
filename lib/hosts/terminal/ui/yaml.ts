import { Document, isScalar, type Tags, visit } from 'yaml';

/** Strings that a YAML 1.1 or 1.2 parser might read as another type, or as a line break. */
const WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
const PLAIN_START = /^\p{L}/u;
const PLAIN_END = /\S$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must be quoted
const SPECIAL = /[\u0000-\u0009\u000b-\u001f\u007f-\u00a0\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]/;
/** Such characters appear only in double quotes, where an escape means the same. */
const UNESCAPED = /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Writes YAML that parsers of versions 1.1 and 1.2 read the same way: quotes strings such as `yes`, `0o7` or `1:30`. */
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
  // Omit the version directive, because both versions can read the document.
  if (document.directives !== undefined) document.directives.docStart = null;
  return document
    .toString({ lineWidth: 0, directives: false })
    .replace(UNESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .trimEnd();
}

/** The merge-key tag would write the string `<<` without quotes. */
function withoutMerge(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:merge');
}

function isPlain(text: string): boolean {
  return PLAIN_START.test(text) && PLAIN_END.test(text) && !SPECIAL.test(text) && !WORD.test(text);
}
