/** Reads the verdict of a scan from the service's answer, and the masked text that may replace a block. */
import { isObject, objectOf, present } from '../core/json.ts';
import { utf8Bytes, utf8Text } from '../core/text/utf8.ts';
import { type NoVerdict, readCompleteness, readVerdict, TEXTS } from '../runtime/output/verdict.ts';
import type { Cause, ContentKind, Verdict } from './types.ts';

/** The content of an answer. */
export interface Reading {
  readonly action: 'allow' | 'block';
  readonly verdict: Verdict;
  /** Set if the answer is not a complete verdict. */
  readonly cause?: Cause;
  /** The text that may pass although the answer blocks. */
  readonly masked?: string;
  readonly scanId?: string;
  readonly reportId?: string;
}

const CAUSES: Readonly<Record<NoVerdict, Cause>> = {
  timeout: 'incomplete',
  error: 'incomplete',
  action: 'unknown-action',
  category: 'malformed',
  missing: 'malformed',
};
/** The detector whose findings the service masks. */
const MASKS = 'dlp';
/** Minimum number of letters and digits of a piece that cannot occur in another text by chance. */
const LONG_PIECE = 6;
/** Length of a run of a finding's letters and digits that must not remain, if the answer does not give the finding's extent. */
const LONG_PART = 8;
/** Matches a grouped number, or a word; words made only of letters are not numbers, addresses or keys. */
const TOKEN = /\p{N}+(?:[ .-]\p{N}+)*|[\p{L}\p{N}@._%+-]+/gu;

/** Reads an answer. @param text the scanned text; undefined if it cannot be masked */
export function readAnswer(raw: unknown, kind: ContentKind, text?: string): Reading {
  const answer = objectOf(raw);
  const reading = readVerdict(raw);
  const cause = reading.decision === 'none' ? CAUSES[reading.cause] : undefined;
  const masked = reading.decision === 'block' && text !== undefined ? maskedIn(answer, kind, text) : undefined;
  return {
    action: reading.decision === 'allow' ? 'allow' : 'block',
    // Listeners receive remembered verdicts, so protect them.
    verdict: Object.freeze({
      action: textIn(answer['action']) ?? '',
      category: textIn(answer['category']) ?? '',
      profile: textIn(answer['profile_name']) ?? '',
      detectors: Object.freeze([...reading.detectors]),
    }),
    ...present({ cause, masked, scanId: textIn(answer['scan_id']), reportId: textIn(answer['report_id']) }),
  };
}

/** Returns the masked text if it may pass: only leaks were found, the scan is complete, and the findings are gone. */
function maskedIn(answer: Readonly<Record<string, unknown>>, kind: ContentKind, text: string): string | undefined {
  const { data, pattern_detections: found } = objectOf(
    answer[kind === 'input' ? 'prompt_masked_data' : 'response_masked_data'],
  );
  const { decision, detectors } = readCompleteness(answer);
  const isLeakOnly = decision === 'allow' && detectors.length > 0 && detectors.every((name) => name === MASKS);
  const isNamed = TEXTS.every((name) => isObject(answer[name] ?? {}));
  // A block for another reason cannot be masked.
  const isOther = /^benign$/i.test(String(answer['category'])) || isBad(objectOf(answer['tool_detected'])['verdict']);
  if (!isLeakOnly || !isNamed || isOther || typeof data !== 'string' || isIn(text, data)) return undefined;
  if (found !== undefined && found !== null && !Array.isArray(found)) return undefined;
  const places = (found ?? []).flatMap((each: unknown) => placesOf(each));
  const pieces = places.length === 0 ? changedIn(text, data) : places.map((place) => piecesAt(text, place));
  const written = writtenParts(text, data);
  const hasLeft = (piece: string) => !isIn(piece, data) && !partsOf(piece).some((part) => written.has(part));
  return pieces.every((forms) => forms.length > 0 && forms.every(hasLeft)) ? data : undefined;
}

/** Reports whether the verdict about a tool is not benign. */
function isBad(verdict: unknown): boolean {
  return verdict !== undefined && verdict !== null && !/^benign$/i.test(String(verdict));
}

/** Returns the positions of a finding; an impossible position for a finding without any. */
function placesOf(finding: unknown): readonly unknown[] {
  const places = listOf(objectOf(finding)['locations']) ?? [];
  return places.length > 0 ? places : [undefined];
}

/**
 * Returns the original text at a position, counting offsets in characters and in bytes; empty for an invalid position.
 */
function piecesAt(text: string, place: unknown): readonly string[] {
  const [start, end] = listOf(place) ?? [];
  if (typeof start !== 'number' || typeof end !== 'number') return [];
  return [text.slice(start, end), utf8Text(utf8Bytes(text).slice(start, end)) ?? ''].filter((piece) => piece !== '');
}

/** Returns the numbers, addresses and keys that masking has changed. */
function changedIn(text: string, masked: string): readonly (readonly string[])[] {
  const [before, after] = [countsOf(text), countsOf(masked)];
  const isFewer = (token: string) => (after.get(token) ?? 0) < (before.get(token) ?? 0);
  return [...before.keys()].filter((token) => /[\p{N}@]/u.test(token) && isFewer(token)).map((token) => [token]);
}

/** Returns the long parts that occur only in the masked text. */
function writtenParts(text: string, masked: string): ReadonlySet<string> {
  const [before, after] = [countsOf(text), countsOf(masked)];
  const isMore = (token: string) => (after.get(token) ?? 0) > (before.get(token) ?? 0);
  return new Set(partsOf([...after.keys()].filter(isMore).join('')));
}

function countsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const token of text.match(TOKEN) ?? []) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

function partsOf(text: string): readonly string[] {
  const signs = bare(text);
  return Array.from({ length: Math.max(0, signs.length - LONG_PART + 1) }, (_, at) => signs.slice(at, at + LONG_PART));
}

function bare(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Reports whether a text is in another, ignoring separators and letter case, which hide nothing. */
function isIn(piece: string, masked: string): boolean {
  return masked.includes(piece.trim()) || (bare(piece).length >= LONG_PIECE && bare(masked).includes(bare(piece)));
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
