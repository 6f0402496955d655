/** Finds the text in items of the framework's protocol, wherever it stands: what has no known form is read as JSON. */

/** Members that hold names, not text; a value that is no name is read all the same. */
const NAME_MEMBERS = new Set([
  ...[
    'type',
    'id',
    'role',
    'status',
    'phase',
    'execution',
    'object',
    'detail',
    'name',
    'mode',
    'format',
    'mediaType',
    'caller',
  ],
  ...['callId', 'call_id', 'callerId', 'caller_id', 'itemId', 'item_id', 'namespace', 'model', 'finish_reason'],
]);
const NAME = /^[\w.:/-]{0,128}$/;
/** Members that only the provider can read. */
const SEALED = new Set(['encrypted_content', 'fingerprint']);
/** Repeats the text of the answer, token by token. */
const REPEATED = 'logprobs';
/** Members that may hold a file; the service scans no files. */
const FILE_MEMBERS = new Set(['image', 'image_url', 'file', 'file_data', 'data', 'audio']);
const FILE = /^(?:data:[^,\s]*;base64,)?[\w+/=-]{64,}$/;
/** Members that are the text of a part, if nothing is beside them. */
const TEXTS = new Set(['text', 'content', 'output', 'refusal', 'transcript', 'providerData', 'arguments']);

/** Tells text from names, files and what is sealed. */
export function isText(member: string, value: string): boolean {
  if (value === '' || SEALED.has(member)) return false;
  if (NAME_MEMBERS.has(member)) return !NAME.test(value);
  return !(FILE_MEMBERS.has(member) && FILE.test(value));
}

/**
 * Returns the text of a value: of a part its text alone, of several parts their texts, of anything else JSON without names
 * and files. Empty if there is no text.
 * @throws TypeError or RangeError for a value without JSON, such as a circle
 */
export function readableText(value: unknown): string {
  return textOf(readable('', value));
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value !== 'object') return String(value);
  const [[member, only] = ['', undefined], ...others] = Object.entries(value as object);
  return others.length === 0 && TEXTS.has(member) ? textOf(only) : JSON.stringify(value);
}

/** Copies what can be read; undefined if nothing can. */
function readable(member: string, value: unknown): unknown {
  if (value === null || value === undefined || member === REPEATED || ArrayBuffer.isView(value)) return undefined;
  if (typeof value === 'string') return isText(member, value) ? value : undefined;
  if (typeof value !== 'object') return value;
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return readable(member, toJSON.call(value, member));
  if (Array.isArray(value)) {
    const items = value.map((each) => readable(member, each)).filter((each) => each !== undefined);
    return items.length === 0 ? undefined : items;
  }
  const members = Object.entries(value).flatMap(([name, each]) => {
    const kept = readable(name, each);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
