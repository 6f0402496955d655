/** Describes what a scan found in each text: masked data, topics, toxic content, and a tool call. */
import { list, numberOf, object, stringOf, textOf, textsOf } from '../../core/received.ts';
import { detectorName } from '../../runtime/output/detectors.ts';
import { type Table, tableOf } from '../../runtime/output/readable.ts';
import { detectorsOf } from '../../runtime/output/verdict.ts';

/** Reads a masked text and the positions of its patterns. */
const readMasked = object({
  data: stringOf,
  pattern_detections: list({ pattern: textOf, locations: placesIn }),
});

type Masked = ReturnType<typeof readMasked>;
type Place = readonly [start: number, end: number];

/** Matches a masked span: a repeated masking character, with the separators that were kept. */
const HIDDEN = /^([Xx*#\u2022\u2588])(?:(?:\1|[-\s.,:/()+])*\1)?$/;

function placesIn(value: unknown): readonly Place[] {
  return Array.isArray(value) ? value.filter(isPlace) : [];
}

function isPlace(value: unknown): value is Place {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [start, end] = value.map(numberOf);
  if (start === undefined || end === undefined) return false;
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start < end;
}

/**
 * Puts each masked span in brackets, with the name of its pattern. Positions are counted in characters, and the service
 * may count a surrogate pair as one or two. If neither count fits the masked text, it gets no brackets: a bracket in
 * the wrong place would say that something else was hidden.
 */
function markedText({ data = '', pattern_detections }: Masked): string {
  const places = pattern_detections
    .flatMap(({ pattern = 'masked', locations }) => locations.map(([start, end]) => ({ pattern, start, end })))
    .sort((one, other) => one.start - other.start || other.end - one.end);
  for (const characters of [data.split(''), Array.from(data)]) {
    let [text, from] = ['', 0];
    const fits = places.every(
      ({ start, end }) => HIDDEN.test(characters.slice(start, end).join('')) && end <= characters.length,
    );
    if (!fits) continue;
    for (const { pattern, start, end } of places) {
      // Two patterns may have found the same span.
      if (start < from) continue;
      text += `${characters.slice(from, start).join('')}[${pattern}: ${characters.slice(start, end).join('')}]`;
      from = end;
    }
    return text + characters.slice(from).join('');
  }
  return data;
}

const readDetails = object({
  topic_guardrails_details: object({ allowed_topics: textsOf, blocked_topics: textsOf }),
  toxic_content_details: object({ toxic_categories: textsOf }),
});

const readEntries = object({
  detection_entries: list({
    tool_invoked: textOf,
    detections: flagsIn,
    threats: textsOf,
    details: readDetails,
    masked_data: readMasked,
  }),
});

const readFindings = object({
  prompt_masked_data: readMasked,
  response_masked_data: readMasked,
  prompt_detection_details: readDetails,
  response_detection_details: readDetails,
  tool_detected: object({
    verdict: textOf,
    metadata: object({ server_name: stringOf, tool_invoked: stringOf }),
    summary: object({ detections: flagsIn, threats: textsOf }),
    input_detected: readEntries,
    output_detected: readEntries,
  }),
});

type Findings = ReturnType<typeof readFindings>;
type Details = ReturnType<typeof readDetails>;

/** Names the detectors that fired on one text. */
function flagsIn(flags: unknown): readonly string[] {
  return detectorsOf({ prompt_detected: flags }).map(detectorName);
}

/**
 * Builds tables of the findings in a scan response, leaving out empty tables. Texts are shown only as the service masked them.
 */
export function findingTables(answer: unknown): Table[] {
  const findings = readFindings(answer);
  return [toolTable(findings), topicTable(findings), maskedTable(findings)].filter(({ rows }) => rows.length > 0);
}

/** Shows the tool that was called, with the detectors that fired on its input and on its output. */
function toolTable({ tool_detected: tool }: Findings): Table {
  const { verdict, metadata, summary } = tool;
  const called = { server: metadata.server_name, verdict };
  const entries = partsOf(tool).map(({ text, entry }) => ({
    ...{ ...called, tool: entry.tool_invoked ?? metadata.tool_invoked },
    ...{ text, found: foundIn(entry) },
  }));
  const whole = { ...called, tool: metadata.tool_invoked, text: 'call', found: foundIn(summary) };
  const rows = entries.length > 0 || verdict === undefined ? entries : [whole];
  return tableOf(rows, { title: 'Call of a tool', columns: ['server', 'tool', 'verdict', 'text', 'found'] });
}

/** A threat often has the same name as its detector. */
function foundIn({ detections, threats }: { detections: readonly string[]; threats: readonly string[] }): string {
  return [...new Set([...detections, ...threats])].join(', ');
}

function topicTable(findings: Findings): Table {
  const { prompt_detection_details: prompt, response_detection_details: response, tool_detected } = findings;
  const texts: { text: string; details: Details }[] = [
    { text: 'prompt', details: prompt },
    { text: 'response', details: response },
    ...partsOf(tool_detected).map(({ text, entry }) => ({ text: `tool ${text}`, details: entry.details })),
  ];
  const rows = texts.flatMap(({ text, details }) => {
    const { blocked_topics, allowed_topics } = details.topic_guardrails_details;
    const row = {
      text,
      blocked_topics: blocked_topics.join(', '),
      allowed_topics: allowed_topics.join(', '),
      toxic_content: details.toxic_content_details.toxic_categories.join(', '),
    };
    return row.blocked_topics + row.allowed_topics + row.toxic_content === '' ? [] : [row];
  });
  const kinds = ['blocked_topics', 'allowed_topics', 'toxic_content'] as const;
  const columns = ['text', ...kinds.filter((kind) => rows.some((row) => row[kind] !== ''))];
  return tableOf(rows, { title: 'Topics and toxic content', columns });
}

function maskedTable({ prompt_masked_data, response_masked_data, tool_detected }: Findings): Table {
  const texts = [
    { text: 'prompt', masked: prompt_masked_data },
    { text: 'response', masked: response_masked_data },
    ...partsOf(tool_detected).map(({ text, entry }) => ({ text: `tool ${text}`, masked: entry.masked_data })),
  ];
  const rows = texts.flatMap(({ text, masked }) => {
    const patterns = [...new Set(masked.pattern_detections.flatMap(({ pattern }) => pattern ?? []))].join(', ');
    return masked.data === undefined ? [] : [{ text, patterns, masked: markedText(masked) }];
  });
  return tableOf(rows, { title: 'Masked', columns: ['text', 'patterns', 'masked'] });
}

function partsOf({ input_detected, output_detected }: Findings['tool_detected']) {
  return [
    ...input_detected.detection_entries.map((entry) => ({ text: 'input', entry })),
    ...output_detected.detection_entries.map((entry) => ({ text: 'output', entry })),
  ];
}
