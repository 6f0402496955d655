/**
 * Redacts secrets, and by default prompts and responses, for logs and messages. Works in three ways: by known secret
 * values, by field names of secrets, and by the shapes of credentials in text.
 */
import { base64, percentEncode, utf8Length } from '../text/utf8.ts';

export const MASK = '***';
const MAX_DEPTH = 20;

export interface RedactionOptions {
  /** Values that must not appear in any form. */
  secrets: readonly string[];
  /** Show prompts and responses; secrets are still masked. */
  showContent?: boolean | undefined;
}

export interface Redaction {
  /** Returns a redacted copy of any value; an error keeps only its name and message. */
  value(value: unknown): unknown;
  fields(fields: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** Returns a copy of any value with `text` applied to every string, whatever its field is called. */
  texts(value: unknown): unknown;
  text(text: string): string;
}

const SECRET_WORDS =
  'authorization|cookie|pass(?:word|wd|phrase)?|secret|token(?:_preview)?|api[_-]?key|private[_-]?key|auth[_-]?(?:code|config)' +
  '|credentials?|connection_params|variables|variable_overrides';
// Matches the end of a name, so that token_url and total_tokens stay visible.
const SECRET_NAME = new RegExp(`(?:^|[_.-])(?:${SECRET_WORDS})$`);
const CONTENT_NAME =
  /(?:^|_)(?:prompts?(?:_csv)?|responses?|contents?|outputs?|goals?|script(?:_b64)?|contexts?|tool_events?|masked_data)$/;
const BODY_NAMES = ['body', 'request_body', 'response_body'];

// Anchored on a literal and without nested repetition, so that the time is linear.
const CREDENTIAL_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b([Bb]earer|[Bb]asic)(\s)[A-Za-z0-9._~+/=-]{16,}/g, `$1$2${MASK}`],
  [/:\/\/[^\s/?#@"'<>]*@/g, `://${MASK}@`],
  // A field of a form or a query string.
  [new RegExp(`([?&\\s](?:\\w+_)?(?:${SECRET_WORDS})=)[^&\\s"']+`, 'gi'), `$1${MASK}`],
];

/** Matches the beginning of a secret member in a JSON text that may be incomplete. */
const SECRET_MEMBER = new RegExp(`(?:${SECRET_WORDS})"\\s*:\\s*"`, 'gi');

/**
 * Masks secret members. A regular expression would keep one backtracking state per character, and a value of
 * millions of characters would overflow the stack.
 */
function maskMembers(text: string): string {
  let masked = '';
  let from = 0;
  SECRET_MEMBER.lastIndex = 0;
  for (let match = SECRET_MEMBER.exec(text); match !== null; match = SECRET_MEMBER.exec(text)) {
    const start = match.index + match[0].length;
    masked += text.slice(from, start) + MASK;
    from = endOfString(text, start);
    SECRET_MEMBER.lastIndex = from;
  }
  return masked + text.slice(from);
}

/** Returns the end of an open JSON string: its closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

/** Rules for the strings and the fields of a value. */
interface Rules {
  text(text: string): string;
  field(name: string, value: unknown, path: readonly unknown[]): unknown;
}

/** Masks known secrets in every form, and text that looks like a credential. */
function maskText(text: string, forms: readonly string[]): string {
  let masked = text;
  for (const form of forms) {
    if (masked.includes(form)) masked = masked.split(form).join(MASK);
  }
  for (const [shape, mask] of CREDENTIAL_SHAPES) masked = masked.replace(shape, mask);
  return maskMembers(masked);
}

/** Creates the redactor for a set of secrets. */
export function redaction({ secrets, showContent = false }: RedactionOptions): Redaction {
  const forms = secretForms(secrets);
  const text = (input: string) => maskText(input, forms);
  const named = (name: string, value: unknown, otherwise: () => unknown): unknown => {
    const plain = snakeCase(name);
    if (SECRET_NAME.test(plain)) return isEmpty(value) ? value : MASK;
    return !showContent && CONTENT_NAME.test(plain) ? hidden(value) : otherwise();
  };
  const plain: Rules = { text, field: (_, value, path) => copy(value, path, plain) };
  // Many fields of a body may hold a prompt; ids, states and times contain no spaces.
  const inBody: Rules = {
    text: (input) => (!showContent && /\s/.test(input) ? hiddenText(input) : text(input)),
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
  // Parse a body, so that its fields are masked by name too.
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

/** Shows the length of hidden text: it helps in a log and reveals nothing. */
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

// On some hosts, system errors come from another realm, where `instanceof` fails.
function isError(value: object): value is { name: string; message: string } {
  return 'message' in value && typeof value.message === 'string' && 'name' in value && 'stack' in value;
}

/** Shorter values occur in ordinary text; replacing them would garble it and hide nothing. */
const MIN_LENGTH = 4;
/** Minimum length of a secret's part to look for in a longer base64 string. */
const MIN_PART_LENGTH = 6;

/**
 * Returns the forms of secrets: unchanged, inside JSON, percent-encoded, and in base64, by themselves or within a
 * longer string such as `id:secret`.
 * @returns all forms, longest first, so that replacing a short secret leaves no part of a longer secret that contains it
 */
export function secretForms(secrets: readonly string[]): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length >= MIN_LENGTH) for (const form of formsOf(secret)) forms.add(form);
  }
  return Array.from(forms).sort((a, b) => b.length - a.length);
}

function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const percent = percentEncode(secret);
  const strict = percent.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const plus = strict.replace(/%20/g, '+');
  // Browser forms keep * and escape ~.
  const form = plus.replace(/%2A/g, '*').replace(/~/g, '%7E');
  // Encoded twice, because a body is a string inside a JSON log line.
  const texts = [secret, escaped, JSON.stringify(escaped).slice(1, -1), percent, strict, plus, form];
  const parts = base64Parts(secret).filter((part) => part.length >= MIN_PART_LENGTH);
  return [...texts, ...parts, ...parts.map((part) => part.replace(/\+/g, '-').replace(/\//g, '_'))];
}

/** Returns the parts of a secret's base64 that do not depend on the text around it: one for each offset modulo 3. */
function base64Parts(secret: string): string[] {
  const length = utf8Length(secret);
  return ['', '_', '__'].map((before) => {
    const first = Math.ceil((before.length * 8) / 6);
    const last = Math.floor(((before.length + length) * 8) / 6);
    return base64(before + secret).slice(first, last);
  });
}
