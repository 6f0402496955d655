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
  text(text: string): string;
}

// By the end of the name, so that token_url and total_tokens stay.
const SECRET_NAME =
  /(?:^|[_.-])(?:authorization|cookie|pass(?:word|wd|phrase)?|secret|token|api[_-]?key|private[_-]?key|auth[_-]?config|credentials?)$/;
const CONTENT_NAMES = ['prompt', 'prompts', 'prompts_csv', 'response', 'contents', 'code_prompt', 'code_response'];
const BODY_NAMES = ['body', 'request_body', 'response_body'];

// Anchored on a literal and without nested repetition: the time grows with the text only.
const CREDENTIAL_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b([Bb]earer|[Bb]asic)(\s)[A-Za-z0-9._~+/=-]{16,}/g, `$1$2${MASK}`],
  [/:\/\/[^\s/?#@"'<>]*@/g, `://${MASK}@`],
];

export function redaction({ secrets, showContent = false }: RedactionOptions): Redaction {
  const forms = secretForms(secrets);
  const text = (given: string): string => {
    let result = given;
    for (const form of forms) {
      if (result.includes(form)) result = result.split(form).join(MASK);
    }
    for (const [shape, mask] of CREDENTIAL_SHAPES) result = result.replace(shape, mask);
    return result;
  };
  const visit = (value: unknown, path: readonly unknown[]): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (path.length >= MAX_DEPTH || path.includes(value)) return '[...]';
    const inner = [...path, value];
    if (Array.isArray(value)) return value.map((item) => visit(item, inner));
    if (isError(value)) return { name: text(value.name), message: text(value.message) };
    return members(value, inner);
  };
  const members = (value: object, path: readonly unknown[]): Record<string, unknown> => {
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      if (name !== '__proto__') copy[text(name)] = field(name, Reflect.get(value, name), path);
    }
    return copy;
  };
  const field = (name: string, value: unknown, path: readonly unknown[]): unknown => {
    const plain = snakeCase(name);
    if (SECRET_NAME.test(plain)) return isEmpty(value) ? value : MASK;
    if (!showContent && CONTENT_NAMES.includes(plain)) return hidden(value);
    if (BODY_NAMES.includes(plain) && typeof value === 'string') return bodyText(value, path);
    return visit(value, path);
  };
  // A body is looked into, so that the fields in it are masked by their names too.
  const bodyText = (body: string, path: readonly unknown[]): unknown => {
    const parsed = parseBody(body);
    if (parsed !== undefined) return JSON.stringify(visit(parsed.value, path));
    return showContent ? text(body) : hidden(body);
  };
  return { value: (value) => visit(value, []), fields: (fields) => members(fields, []), text };
}

function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === null || value === undefined || typeof value === 'boolean';
}

/** How much there was is often the question, and gives nothing away. */
function hidden(value: unknown): unknown {
  if (isEmpty(value)) return value;
  return typeof value === 'string' ? `[hidden, ${value.length} characters]` : '[hidden]';
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
