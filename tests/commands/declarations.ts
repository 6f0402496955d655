/** Checks the arguments of every command against the transcription: an invalid line is refused before anything is sent. */
import { due } from '../contract/commands.ts';
import type { ContractArgument } from '../contract/transcription.ts';
import { memoryFiles } from '../support/files.ts';
import { answeringWith } from '../support/scripted.ts';
import { fitting, type Given, lineOf, type Subject, subjects } from '../system/laws/subjects.ts';
import { claimed } from './golden.ts';
import { allGoldens, type Golden } from './goldens.ts';

const goldens = allGoldens();

const CLAIMS = ['boolean-arguments', 'json-arguments-are-text'];

/** A value that is invalid for this kind of argument. */
const wrongOf = ({ kind, choices }: ContractArgument): string | undefined => {
  const wrong: Readonly<Record<string, string>> = { boolean: 'maybe', number: 'many', json: '{"a": }' };
  return choices === undefined ? wrong[kind ?? ''] : 'no-such-choice';
};

/** Lines that lack an argument or have an invalid value, with the argument's name and a word from the hint. */
function refusals({ name, given, ...subject }: Subject, own: readonly ContractArgument[]) {
  const without = (argument: string): Given =>
    Object.fromEntries(Object.entries(given).filter(([other]) => other !== argument));
  const missing = own
    .filter(({ required, default: value }) => required === true && value === undefined)
    // A scan's extensions may replace the prompt, but a platform still requires the prompt.
    .filter((argument) => !(name === 'aisec-runtime-scan' && argument.name === 'prompt'))
    .map(({ name: argument }) => ({ argument, line: lineOf(name, without(argument)), hint: '' }));
  const wrong = own.flatMap((argument) => {
    const value = wrongOf(argument);
    if (value === undefined) return [];
    const line = lineOf(name, { ...fitting({ name, given, ...subject }, argument.name), [argument.name]: value });
    const hint = argument.kind === 'boolean' || argument.kind === 'number' ? '' : (argument.choices?.[0] ?? '');
    return [{ argument: argument.name, line, hint }];
  });
  return [...missing, ...wrong];
}

for (const subject of subjects) {
  const contract = due.find(({ command }) => command === subject.name);
  const rows = refusals(subject, [...(contract?.arguments ?? []), ...(contract?.extensions ?? [])]);
  if (rows.length === 0) continue;
  claimed(CLAIMS, `${subject.name} refuses what it lacks and what is wrong, and sends nothing`, async () => {
    const room = answeringWith();
    for (const { line, argument, hint } of rows) {
      const error = await room.fail(line);
      expect({ line, exitCode: error.exitCode, argument: error.argument }).toEqual({ line, exitCode: 2, argument });
      expect(error.hint ?? '').toContain(hint);
    }
    expect([...room.requests, ...room.tokenRequests]).toEqual([]);
  });
}

/** Words from other routes, and path segments that lead to other folders. */
const WORDS = ['probe', '..', '%2e%2e', 'a/b', 'x?y'];

/** Arguments of a case whose value is a UUID in the address. */
const idsOf = ({ args, script }: Golden): string[] =>
  (args.match(/\w+=[0-9a-f-]{36}(?= |$)/g) ?? []).filter((word) =>
    script.some(({ request }) => request.split('?')[0]?.includes(`/${word.split('=')[1]}`)),
  );

const addressed = goldens.filter((golden) => idsOf(golden).length > 0);
const firsts = [...new Map(addressed.map((golden) => [golden.command, golden])).values()];

claimed.each(firsts)(
  'path-words',
  '$command accepts only a UUID in its address, and sends nothing else',
  async (golden) => {
    const room = answeringWith();
    for (const word of idsOf(golden)) {
      const [argument = ''] = word.split('=');
      for (const wrong of WORDS) {
        const line = `!${golden.command} ${golden.args.replace(word, `${argument}=${wrong}`)}`;
        expect(await room.fail(line, { files: memoryFiles({ ...golden.files }) })).toMatchObject({
          exitCode: 2,
          argument,
        });
      }
    }
    expect([...room.requests, ...room.tokenRequests]).toEqual([]);
  },
);

/** The service's limits in characters: the longest text is sent, and a longer text is refused. */
const LIMITS: readonly (readonly [command: string, argument: string, most: number])[] = [
  ['redteam-adapters-create', 'name', 255],
  ['redteam-adapters-update', 'name', 255],
  ['redteam-network-channels-create', 'name', 64],
  ['redteam-network-channels-update', 'name', 64],
  ['redteam-prompt-sets-create', 'name', 255],
  ['redteam-prompt-sets-update', 'name', 255],
  ['redteam-properties-create', 'name', 256],
  ['redteam-properties-add-value', 'property_name', 256],
  ['redteam-properties-add-value', 'property_value', 256],
  ['redteam-scan-create', 'name', 255],
  ['runtime-dlp-patterns-create', 'name', 64],
  ['runtime-dlp-patterns-replace', 'name', 64],
  ['runtime-dlp-profiles-create', 'name', 32],
  ['runtime-dlp-profiles-replace', 'name', 32],
  ['model-security-groups-create', 'name', 255],
  ['model-security-groups-update', 'description', 1000],
  ['model-security-labels-values', 'key', 128],
  ['model-security-models-list', 'search_query', 256],
  ['model-security-scans-create', 'model_version', 256],
];

claimed.each(LIMITS.map(([command, argument, most]) => ({ command, argument, most })))(
  ['channel-name-length', 'dlp-profile-name-length', 'dlp-pattern-name-length', 'model-label-key-limits'],
  '$command takes $most characters of $argument, and not one more',
  async ({ command, argument, most }) => {
    const subject = subjects.find(({ name }) => name === `aisec-${command}`);
    const given = subject === undefined ? {} : fitting(subject, argument);
    const line = (length: number) => lineOf(`aisec-${command}`, { ...given, [argument]: 'n'.repeat(length) });
    const room = answeringWith({ uuid: 'x', name: 'n' });
    expect(await room.fail(line(most + 1))).toMatchObject({ exitCode: 2, argument });
    expect([...room.requests, ...room.tokenRequests]).toEqual([]);
    await room.run(line(most)).catch((error: unknown) => expect(error).not.toMatchObject({ exitCode: 2 }));
    expect(room.requests.length).toBeGreaterThan(0);
  },
);
