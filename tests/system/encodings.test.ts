/** Text written by Windows: PowerShell 5 pipes and redirects UTF-16, and ends lines with CR LF. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../unit/report/support.ts';
import { scenario } from './scenarios/claims.ts';

const ENCODINGS: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
];

const BULK = 'runtime-bulk-scan profile_name=prod';
const LABELS = 'prompt,label\nShould I buy shares of this company?,true\nGrüße 👋,false\n';
const ROW =
  '{"row": 1, "prompt": "Grüße 👋", "action": "block", "category": "malicious", "scan_id": "s", "profile_name": "prod"}\n';
const JSON_LINE = '{"prompt": "Grüße 👋"}\n';
const POLICY = 'version: 1\nbulk:\n  max_blocked: 0\n';
const GUARDRAILS =
  'version: 1\ntopics:\n  - name: greetings\n    description: Grüße 👋\n    examples: [Grüße, Guten Tag]\n';
const PLAYBOOK = [
  ...['id: hello', 'name: Hello', 'starttaskid: "0"', 'tasks:', '  "0":', '    id: "0"', '    type: start'],
  ...['    task: {name: Grüße}', '    nexttasks: {}', ''],
].join('\n');

/** Lines that take a text, as FILE or on standard input, and the output that shows it was read. */
const READERS: readonly { readonly line: string; readonly text: string; readonly shows: RegExp }[] = [
  { line: 'runtime-scan profile_name=prod prompt=@file:FILE', text: 'Grüße 👋', shows: /"allow"/ },
  { line: 'runtime-scan profile_name=prod prompt=@-', text: 'Grüße 👋', shows: /"allow"/ },
  { line: `${BULK} file=FILE input_format=jsonl`, text: JSON_LINE, shows: /Grüße 👋/ },
  { line: `${BULK} file=- input_format=jsonl`, text: JSON_LINE, shows: /Grüße 👋/ },
  { line: `${BULK} file=FILE`, text: 'prompt\nGrüße 👋\n', shows: /Grüße 👋/ },
  { line: `${BULK} file=-`, text: 'prompt\nGrüße 👋\n', shows: /Grüße 👋/ },
  { line: '--echo', text: '# Grüße 👋\n!aisec-runtime-topics-list limit=1\n', shows: /# Grüße 👋/ },
  { line: 'guard --profile prod --quiet', text: 'Grüße 👋\n', shows: /Grüße 👋\r\n/ },
  { line: 'guard --profile prod --prompt --quiet', text: 'Grüße 👋', shows: /Grüße 👋/ },
  { line: 'profiles --config FILE', text: 'profiles:\n  grün: {url: "https://a.example"}\n', shows: /grün/ },
  { line: 'apply FILE --dry-run --output json', text: GUARDRAILS, shows: /greetings/ },
  { line: 'apply - --dry-run --output json', text: GUARDRAILS, shows: /greetings/ },
  { line: 'topics eval FILE --topic investment-advice --output json', text: LABELS, shows: /"tpr"/ },
  { line: 'gate bulk FILE --output json', text: ROW, shows: /1 of 1 prompt blocked/ },
  { line: 'gate bulk ROWS --policy FILE --output json', text: POLICY, shows: /text:3, bulk.max_blocked/ },
  { line: 'playbook FILE --check', text: PLAYBOOK, shows: /"valid":true,"tasks":1/ },
];

const folder = temporaryFolder('encodings');
const rows = join(folder, 'rows.jsonl');
writeFileSync(rows, ROW);

/** Runs the program with the text in a file and on standard input. */
async function given({ line }: (typeof READERS)[number], bytes: Buffer) {
  const file = join(folder, 'text');
  writeFileSync(file, bytes);
  const stdin = new PassThrough();
  // In pieces of three bytes: a UTF-16 unit has two bytes, a surrogate pair four.
  for (let at = 0; at < bytes.length; at += 3) stdin.write(bytes.subarray(at, at + 3));
  stdin.end();
  const argv = line.split(' ').map((word) => word.replace('FILE', file).replace('ROWS', rows));
  return run(argv, { parts: { stdin } });
}

scenario.each([...READERS])('file-encoding', 'is read the same with a mark and in UTF-16: $line', async (reader) => {
  const text = reader.text.replace(/\n/g, '\r\n');
  const plain = await given(reader, Buffer.from(text));
  expect(plain.stdout + plain.stderr).toMatch(reader.shows);
  for (const encoded of ENCODINGS) {
    const other = await given(reader, encoded(text));
    expect({ ...other, stdout: withoutIds(other.stdout) }).toEqual({ ...plain, stdout: withoutIds(plain.stdout) });
  }
});

/** Each scan has a new id; the guard passes the UTF-8 mark through. */
function withoutIds(text: string): string {
  return text.replace(/^\ufeff/, '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID');
}

scenario.each([...READERS])(
  'file-encoding',
  'bytes that are not text are refused with their position: $line',
  async (reader) => {
    const { code, stderr } = await given(
      reader,
      Buffer.concat([Buffer.from(`${reader.text.slice(0, 3)}a\n`), Buffer.from([0xe9, 0x0a])]),
    );
    expect(code).toBe(reader.line.includes('--config') ? 3 : 2);
    expect(stderr).toMatch(/is not UTF-8 text: byte \d+, in line [23], cannot be read\./);
  },
);
