/**
 * Takes secrets, and unless asked otherwise prompts and responses, out of what is logged. Neutral: every host may use it.
 * Three nets, each for what slips through the others: the values that are known to be secret, fields with the name of a secret,
 * and the shapes of credentials in text.
 */
import { secretForms } from './secret-forms.ts';

export const MASK = '***';
const MAX_DEPTH = 20;

export interface RedactionOptions {
  /** Values that must not appear in any form. */
  secrets: readonly string[];
  /** Leave prompts and responses as they are; secrets are masked all the same. */
  showContent?: boolean | undefined;
}

export interface Redaction {
  /** A copy of any value without what must not be seen; errors become name and message, without stack and cause. */
  value(value: unknown): unknown;
  fields(fields: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** A copy of any value with its texts as `text` makes them, whatever the names of its fields. */
  texts(value: unknown): unknown;
  text(text: string): string;
}

const SECRET_WORDS =
  'authorization|cookie|pass(?:word|wd|phrase)?|secret|token(?:_preview)?|api[_-]?key|private[_-]?key|auth[_-]?(?:code|config)' +
  '|credentials?|connection_params|variables|variable_overrides';
// By the end of the name, so that token_url and total_tokens stay.
const SECRET_NAME = new RegExp(`(?:^|[_.-])(?:${SECRET_WORDS})$`);
const CONTENT_NAME = /(?:^|_)(?:prompts?(?:_csv)?|responses?|contents?|outputs?|goals?|script(?:_b64)?)$/;
const BODY_NAMES = ['body', 'request_body', 'response_body'];

// Anchored on a literal and without nested repetition: the time grows with the text only.
const CREDENTIAL_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b([Bb]earer|[Bb]asic)(\s)[A-Za-z0-9._~+/=-]{16,}/g, `$1$2${MASK}`],
  [/:\/\/[^\s/?#@"'<>]*@/g, `://${MASK}@`],
  // A field of a form or a query.
  [new RegExp(`([?&\\s](?:\\w+_)?(?:${SECRET_WORDS})=)[^&\\s"']+`, 'gi'), `$1${MASK}`],
];

/** The beginning of a member of a JSON text that is not whole. */
const SECRET_MEMBER = new RegExp(`(?:${SECRET_WORDS})"\\s*:\\s*"`, 'gi');

/**
 * The text with such members masked. An expression would choose for every character whether it is escaped, and remember it:
 * for a value of millions its stack is too small.
 */
function withoutMembers(text: string): string {
  let masked = '';
  let from = 0;
  SECRET_MEMBER.lastIndex = 0;
  for (let found = SECRET_MEMBER.exec(text); found !== null; found = SECRET_MEMBER.exec(text)) {
    const start = found.index + found[0].length;
    masked += text.slice(from, start) + MASK;
    from = endOfString(text, start);
    SECRET_MEMBER.lastIndex = from;
  }
  return from === 0 ? text : masked + text.slice(from);
}

/** Where the JSON string that has begun ends: at its quote, or at the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

/** What becomes of the texts and the fields of a value. */
interface Rules {
  text(text: string): string;
  field(name: string, value: unknown, path: readonly unknown[]): unknown;
}

export function redaction({ secrets, showContent = false }: RedactionOptions): Redaction {
  const forms = secretForms(secrets);
  const text = (given: string): string => {
    let result = given;
    for (const form of forms) {
      if (result.includes(form)) result = result.split(form).join(MASK);
    }
    for (const [shape, mask] of CREDENTIAL_SHAPES) result = result.replace(shape, mask);
    return withoutMembers(result);
  };
  const named = (name: string, value: unknown, otherwise: () => unknown): unknown => {
    const plain = snakeCase(name);
    if (SECRET_NAME.test(plain)) return isEmpty(value) ? value : MASK;
    return !showContent && CONTENT_NAME.test(plain) ? hidden(value) : otherwise();
  };
  const plain: Rules = { text, field: (_, value, path) => copy(value, path, plain) };
  // A service names what people wrote in many ways; ids, states and times hold no spaces.
  const inBody: Rules = {
    text: (given) => (!showContent && /\s/.test(given) ? hiddenText(given) : text(given)),
    field: (name, value, path) => named(name, value, () => copy(value, path, inBody)),
  };
  const logged: Rules = {
    text,
    field: (name, value, path) =>
      named(name, value, () => {
        const isBody = typeof value === 'string' && BODY_NAMES.includes(snakeCase(name));
        return isBody ? bodyText(value, path) : copy(value, path, logged);
      }),
  };
  // A body is looked into, so that the fields in it are masked by their names too.
  const bodyText = (body: string, path: readonly unknown[]): unknown => {
    const parsed = parseBody(body);
    if (parsed !== undefined) return JSON.stringify(copy(parsed.value, path, inBody));
    return showContent ? text(body) : hidden(body);
  };
  return {
    value: (value) => copy(value, [], logged),
    fields: (fields) => members(fields, [], logged),
    texts: (value) => copy(value, [], plain),
    text,
  };
}

function copy(value: unknown, path: readonly unknown[], rules: Rules): unknown {
  if (typeof value === 'string') return rules.text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (path.length >= MAX_DEPTH || path.includes(value)) return '[...]';
  const inner = [...path, value];
  if (Array.isArray(value)) return value.map((item) => copy(item, inner, rules));
  if (isError(value)) return { name: rules.text(value.name), message: rules.text(value.message) };
  return members(value, inner, rules);
}

function members(value: object, path: readonly unknown[], rules: Rules): Record<string, unknown> {
  const copied: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (name !== '__proto__') copied[rules.text(name)] = rules.field(name, member, path);
  }
  return copied;
}

function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === null || value === undefined || typeof value === 'boolean';
}

/** How much there was is often the question, and gives nothing away. */
function hidden(value: unknown): unknown {
  if (isEmpty(value) || typeof value === 'number') return value;
  return typeof value === 'string' ? hiddenText(value) : '[hidden]';
}

function hiddenText(text: string): string {
  return `[hidden, ${text.length} characters]`;
}

function parseBody(body: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' ? { value } : undefined;
  } catch {
    return undefined;
  }
}

// Errors of the system come from another realm under some hosts, so their class says nothing.
function isError(value: object): value is { name: string; message: string } {
  return 'message' in value && typeof value.message === 'string' && 'name' in value && 'stack' in value;
}
