/**
 * What commands do to the simulated tenant, one story after another: `stories.yml` has the ids of the requirements that
 * each story claims, and its lines in one war room with the result of each. Later lines may refer to the context of
 * earlier ones.
 *
 * - A record or a list: the value has at least these members, and texts may be `/patterns/`. `count` is the number of
 *   records, and `each` of a member is its value in each of them; `in` names the member with the records, `note` a text
 *   below the table.
 * - `fails` is the error's code or HTTP status; `hint`, `message` and `argument` are its texts.
 * - `wait` is the number of seconds that pass before the line.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { DLP_IDS } from '../../fixtures/service/dlp/seed-profiles.ts';
import { MODEL_SEED_IDS } from '../../fixtures/service/model-security/seed.ts';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { SEED_IDS } from '../../fixtures/service/tenant.ts';
import { type WarRoom, warRoom } from '../support/simulated.ts';
import { claimed } from './golden.ts';
import { type Fields, isFields } from './goldens.ts';

interface Story {
  claims: readonly string[];
  options?: Parameters<typeof warRoom>[0];
  lines: readonly Readonly<Record<string, unknown>>[];
}

const IDS: Fields = { ...SEED_IDS, dlp: DLP_IDS, red: RED_TEAM_IDS, model: MODEL_SEED_IDS };

/** A text with the ids of seeded records instead of names such as `<topics.insuranceClaims>`. */
const withIds = (text: string): string =>
  text.replace(/<([a-z]+(?:\.\w+)+)>/gi, (name, path: string) => {
    const id = path.split('.').reduce<unknown>((value, step) => (isFields(value) ? value[step] : undefined), IDS);
    if (typeof id !== 'string') throw new Error(`the seed has no ${name}`);
    return id;
  });

/** The expected value, with patterns for texts between slashes. */
function pattern(expected: unknown): unknown {
  if (typeof expected === 'string') {
    const text = withIds(expected);
    return /^\/.*\/$/s.test(text) ? expect.stringMatching(new RegExp(text.slice(1, -1))) : text;
  }
  if (Array.isArray(expected)) return expected.map(pattern);
  if (!isFields(expected)) return expected;
  return Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, pattern(value)]));
}

const rowsOf = (value: unknown, member: unknown): unknown[] => {
  const rows: unknown = typeof member === 'string' && isFields(value) ? value[member] : (value ?? []);
  return Array.isArray(rows) ? rows : [rows];
};

async function expectFailure(room: WarRoom, line: string, { fails, ...said }: Fields): Promise<void> {
  const { code, status, hint, message, argument, rows } = await room.fail(line);
  const words = { hint: hint ?? '', message, argument, rows };
  expect({ line, fails: typeof fails === 'number' ? status : code, ...words }).toMatchObject({
    line,
    fails,
    ...Object.fromEntries(Object.entries(said).map(([name, value]) => [name, pattern(value)])),
  });
}

async function expectValue(room: WarRoom, line: string, expected: unknown): Promise<void> {
  const { writes, readable } = await room.run(line);
  const value = writes[0]?.value;
  const { count, each, in: member, note, ...members } = isFields(expected) ? expected : {};
  if (typeof note === 'string') expect(readable.notes.join(' ')).toMatch(new RegExp(withIds(note)));
  if (count !== undefined) expect({ line, count: rowsOf(value, member).length }).toEqual({ line, count });
  for (const [name, values] of Object.entries(isFields(each) ? each : {})) {
    const found = rowsOf(value, member).map((row) => (isFields(row) ? row[name] : undefined));
    expect({ line, [name]: found }).toEqual({ line, [name]: pattern(values) });
  }
  if (Array.isArray(expected)) expect(value).toMatchObject(expected.map(pattern));
  else if (Object.keys(members).length > 0) expect({ line, value }).toMatchObject({ line, value: pattern(members) });
}

const stories: Readonly<Record<string, Story>> = parse(readFileSync(new URL('./stories.yml', import.meta.url), 'utf8'));

for (const [title, { claims, options, lines }] of Object.entries(stories)) {
  claimed(claims, title, async () => {
    const room = warRoom(options);
    for (const [line = '', expected] of lines.flatMap((entry) => Object.entries(entry))) {
      if (line === 'wait') room.clock.advance(Number(expected) * 1000);
      else if (isFields(expected) && 'fails' in expected)
        await expectFailure(room, `!aisec-${withIds(line)}`, expected);
      else await expectValue(room, `!aisec-${withIds(line)}`, expected);
    }
  });
}
