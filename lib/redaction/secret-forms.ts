/** Lists the forms in which a secret may occur in a text. */
import { base64 } from '../text/base64.ts';
import { percentEncode, utf8Length } from '../text/utf8.ts';

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
  const percent = percentEncode(secret);
  const strict = percent.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const plus = strict.replace(/%20/g, '+');
  // Forms of browsers keep * and escape ~.
  const form = plus.replace(/%2A/g, '*').replace(/~/g, '%7E');
  // Encoded twice, because a body is a text within a log line.
  const texts = [secret, escaped, JSON.stringify(escaped).slice(1, -1), percent, strict, plus, form];
  const parts = base64Parts(secret).filter((part) => part.length >= MIN_PART_LENGTH);
  return [...texts, ...parts, ...parts.map((part) => part.replace(/\+/g, '-').replace(/\//g, '_'))];
}

/** Returns the parts of its base64 text that do not depend on the text around it: one for each offset modulo 3. */
function base64Parts(secret: string): string[] {
  const length = utf8Length(secret);
  return ['', '_', '__'].map((before) => {
    const first = Math.ceil((before.length * 8) / 6);
    const last = Math.floor(((before.length + length) * 8) / 6);
    return base64(before + secret).slice(first, last);
  });
}
