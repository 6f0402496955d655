/** Lists the forms in which a secret may occur in a text. */
import { BASE64_LETTERS } from '../text/base64.ts';

/** Shorter values occur in any text; replacing them would garble it and hide nothing. */
const MIN_LENGTH = 4;
/** Minimum length of the part of a secret in a longer base64 text. */
const MIN_PART_LENGTH = 6;

/**
 * Returns the forms of secrets: unchanged, inside JSON, percent-encoded, and as base64, alone or as part of a longer
 * text such as `id:secret`.
 * @returns all forms, longest first, so that a secret within a secret leaves no rest
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
  const percent = encode(secret);
  // Encoded twice, because a body is a text within a log line.
  const form = percent.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const texts = [secret, escaped, JSON.stringify(escaped).slice(1, -1), percent, form, form.replace(/%20/g, '+')];
  const parts = base64Parts(secret).filter((part) => part.length >= MIN_PART_LENGTH);
  return [...texts, ...parts, ...parts.map((part) => part.replace(/\+/g, '-').replace(/\//g, '_'))];
}

/** Encodes a text; half of a surrogate pair becomes the replacement character. */
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

/** Returns the parts of its base64 text that do not depend on the text around it: one for each offset modulo 3. */
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
    letters.push(BASE64_LETTERS.charAt((pair >> (10 - (bit & 7))) & 63));
  }
  return letters.join('');
}
