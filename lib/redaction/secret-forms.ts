/** The shapes in which one secret may stand in a text. */

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Shorter values are words of any text; to replace them would garble it and hide nothing. */
const SHORTEST = 4;
/** The least that is worth replacing of a secret within a longer base64 text. */
const SHORTEST_PART = 6;

/**
 * As it is, inside JSON, percent-encoded, and as base64: alone, and as part of something longer such as `id:secret`.
 * @returns the forms of all secrets, longest first, so that a secret within a secret leaves no rest
 */
export function secretForms(secrets: readonly string[]): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length >= SHORTEST) for (const form of formsOf(secret)) forms.add(form);
  }
  return Array.from(forms).sort((a, b) => b.length - a.length);
}

function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const percent = encode(secret);
  // A form of a form, because a body is a text within a log line.
  const form = percent.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const texts = [secret, escaped, JSON.stringify(escaped).slice(1, -1), percent, form, form.replace(/%20/g, '+')];
  const parts = base64Parts(secret).filter((part) => part.length >= SHORTEST_PART);
  return [...texts, ...parts, ...parts.map((part) => part.replace(/\+/g, '-').replace(/\//g, '_'))];
}

/** A lone half of a surrogate pair has no encoding; it travels as the replacement character. */
function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return encodeURIComponent(text.replace(/[\ud800-\udfff]/g, '\ufffd'));
  }
}

function utf8(text: string): number[] {
  const bytes: number[] = [];
  const percent = encode(text);
  for (let at = 0; at < percent.length; at += 1) {
    const escaped = percent.charAt(at) === '%';
    bytes.push(escaped ? Number.parseInt(percent.slice(at + 1, at + 3), 16) : percent.charCodeAt(at));
    if (escaped) at += 2;
  }
  return bytes;
}

/** What stays the same of its base64 text whatever stands before and after it: one text for each position modulo 3. */
function base64Parts(secret: string): string[] {
  const bytes = utf8(secret);
  return [0, 1, 2].map((shift) => {
    const text = base64([...Array<number>(shift).fill(0), ...bytes]);
    const first = Math.ceil((shift * 8) / 6);
    const last = Math.floor(((shift + bytes.length) * 8) / 6);
    return text.slice(first, last);
  });
}

function base64(bytes: readonly number[]): string {
  const letters: string[] = [];
  for (let bit = 0; bit < bytes.length * 8; bit += 6) {
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    letters.push(BASE64.charAt((pair >> (10 - (bit & 7))) & 63));
  }
  return letters.join('');
}
