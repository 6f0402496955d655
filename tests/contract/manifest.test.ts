import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { requirementIds } from '../claims-reporter.mjs';
import { expectNone } from '../support/expect-none.ts';
import { scenarios } from '../system/scenarios/ids.ts';
import { requirement } from './claims.ts';
import { due } from './commands.ts';
import { type Integration, integrationFaults, isIntegration } from './integration-schema.ts';
import { commandDifferences, connectionParameters, parameterDifferences } from './manifest-differences.ts';
import { type SampleManifest, sampleManifest } from './sample-manifest.ts';

const manifest: unknown = parse(readFileSync(new URL('../../integration.yml', import.meta.url), 'utf8'));

function valid(document: unknown): Integration {
  if (!isIntegration(document)) throw new Error(integrationFaults(document).join('\n'));
  return document;
}

/** A sample with one change, as the plain data of a YAML file. */
function broken(change: (sample: SampleManifest) => unknown): SampleManifest {
  const sample = structuredClone(sampleManifest(due));
  change(sample);
  return sample;
}

function found<Item>(list: readonly Item[], matches: (item: Item) => boolean): Item {
  const item = list.find(matches);
  if (item === undefined) throw new Error('the sample has no such member');
  return item;
}

const commandOf = (sample: SampleManifest, name: string) => found(sample.script.commands, (one) => one.name === name);
const argumentOf = (sample: SampleManifest, command: string, name: string) =>
  found(commandOf(sample, command).arguments, (one) => one['name'] === name);
const parameterOf = (sample: SampleManifest, name: string) =>
  found(sample.configuration, (one) => one['name'] === name);

const [scan, list, apply] = ['aisec-runtime-scan', 'aisec-runtime-topics-list', 'aisec-runtime-topics-apply'] as const;

describe('the transcription', () => {
  test('lists every command once', () => {
    const names = due.map(({ command }) => command);
    expect([names.length, new Set(names).size]).toEqual([157, 157]);
  });

  test('gives each command its own context path, unless the specification shares or omits it', () => {
    const paths = due.map(({ context }) => context);
    expect(paths.filter((path) => path === '')).toHaveLength(1);
    expect([...new Set(paths.filter((path, index) => paths.indexOf(path) !== index))].sort()).toEqual([
      'AiSec.ModelSecurityModel',
      'AiSec.ModelSecurityModelVersion',
      'AiSec.RedTeamAdapter',
      'AiSec.RedTeamAttack',
      'AiSec.RedTeamCustomAttackPrompt',
      'AiSec.RedTeamEula',
      'AiSec.RedTeamNetworkChannel',
      'AiSec.RedTeamSentiment',
      'AiSec.RedTeamStream',
    ]);
  });

  test('lists each argument of a command once', () => {
    const twice = due.flatMap(({ command, arguments: own, extensions = [] }) => {
      const names = [...own, ...extensions].map(({ name }) => name);
      return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${command} ${name}`);
    });
    expectNone(twice, 'arguments that are listed twice');
  });

  test('numbers the scenarios without a gap, so that each keeps its number', () => {
    // One number may have two ids, as 101 has.
    const numbers = [...new Set(scenarios.map(({ number }) => number))];
    expect(numbers).toStrictEqual(numbers.map((_, index) => index + 1));
  });

  test('gives every requirement and every scenario a unique id', () => {
    const ids = [...requirementIds(), ...scenarios.map(({ id }) => id)];
    const isOwn = (id: string, index: number) => ids.indexOf(id) === index && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(id);
    expectNone(
      ids.filter((id, index) => !isOwn(id, index)),
      'ids that come twice or are misspelt',
    );
  });
});

describe('integration.yml', () => {
  test('is accepted by the platform and its validators', () => {
    expectNone(integrationFaults(manifest), 'faults of the manifest');
  });

  test('has exactly the commands, arguments and outputs of the specification', () => {
    expectNone(commandDifferences(valid(manifest), due), 'differences from the contract');
  });

  test('accepts one required argument of each command without its name', () => {
    const { commands } = valid(manifest).script;
    const lacking = commands.flatMap(({ name, arguments: args = [] }) => {
      const required = args.filter((argument) => argument.required === true);
      const bare = args.filter((argument) => argument.default === true);
      if (bare.length > 1)
        return [`${name}: one default argument at most, not ${bare.map((each) => each.name).join(', ')}`];
      const fits = required.length === 0 || required.some((argument) => argument.default === true);
      return fits ? [] : [`${name}: one of ${required.map((each) => each.name).join(', ')} as the default argument`];
    });
    expectNone(lacking, 'commands of which no argument may be typed without its name');
    expect(commands.filter(({ arguments: args = [] }) => args.some(({ required }) => required === true))).not.toEqual(
      [],
    );
  });

  test('marks commands that change something or act on an external system as potentially harmful', () => {
    const { commands } = valid(manifest).script;
    const changes =
      /-(create|regenerate|update|update-profile|delete|patch|replace|apply|add|set|add-value|archive|upload|accept|abort|probe|validate|validate-auth|generate-partial)$/;
    const harmless = commands.filter(({ execution }) => execution !== true).map(({ name }) => name);
    const harmful = commands.filter(({ execution }) => execution === true).map(({ name }) => name);
    expectNone(
      harmless.filter((name) => changes.test(name)),
      'commands that act, without the mark',
    );
    // A verdict about a text is like a reputation lookup: it changes nothing.
    expect(harmless).toEqual(expect.arrayContaining([scan, 'aisec-runtime-bulk-scan']));
    // Getting credentials creates them if they do not exist.
    expect(harmful.filter((name) => !changes.test(name))).toEqual(['aisec-redteam-registry-credentials-get']);
  });

  test('describes every argument in sentences that begin with a verb or a noun', () => {
    const { commands } = valid(manifest).script;
    const odd = commands.flatMap(({ name, arguments: args = [] }) =>
      args
        .filter(({ hidden }) => hidden !== true)
        .filter(({ description }) =>
          /^(?:[^A-Z]|(?:What|How|Who|Whether|Which|Where|When|Only|Most|The|An?|Extension)\b)/.test(description),
        )
        .map(({ name: argument, description }) => `${name} ${argument}: ${description}`),
    );
    expectNone(odd, 'descriptions that open with another word');
  });

  test('spells the argument for a file entry as the contract does, in names and descriptions', () => {
    const { commands } = valid(manifest).script;
    const texts = (name: string) => JSON.stringify(commands.filter((one) => one.name === name));
    expect(texts('aisec-redteam-prompt-sets-upload')).toMatch(/"entryID"/);
    const wrong = commands.filter(({ name }) => {
      const other = name === 'aisec-redteam-prompt-sets-upload' ? /entry_id/ : /entryID/;
      return other.test(texts(name));
    });
    expectNone(
      wrong.map(({ name }) => name),
      'commands with the other spelling',
    );
  });

  requirement('neutral-names', 'names commands aisec-... and context paths AiSec....', () => {
    const { commands } = valid(manifest).script;
    const paths = commands.flatMap(({ outputs }) => (outputs ?? []).map(({ contextPath }) => contextPath));
    expectNone(
      commands.map(({ name }) => name).filter((name) => !name.startsWith('aisec-')),
      'commands without the prefix',
    );
    // Files are stored where the platform itself keeps them.
    expectNone(
      paths.filter((path) => !/^(AiSec|InfoFile)\./.test(path)),
      'context paths of another root',
    );
    expect(paths.length).toBeGreaterThan(commands.length);
  });

  requirement(
    ['connection-parameters-required', 'connection-booleans'],
    'has the connection parameters of the specification',
    () => {
      expectNone(parameterDifferences(valid(manifest), connectionParameters), 'differences from the contract');
    },
  );
});

const OPEN = 'Value. Other values are sent as typed.';

describe('the checks', () => {
  test('accept a manifest that agrees with the contract', () => {
    const sample = sampleManifest(due);
    expectNone(integrationFaults(sample), 'faults of the sample');
    expectNone(commandDifferences(valid(sample), due), 'differences of the sample');
    expectNone(parameterDifferences(valid(sample), connectionParameters), 'differences of the sample');
  });

  test('accept an extension that is declared', () => {
    const extension = {
      name: 'keep_guardrail_action',
      description: 'Keep it. Specific to aisec.',
      defaultValue: 'false',
    };
    const sample = broken((one) => commandOf(one, apply).arguments.push(extension));
    expectNone(commandDifferences(valid(sample), due), 'differences of the sample');
  });

  test('accept a declared open list of choices', () => {
    const sample = broken((one) =>
      Object.assign(argumentOf(one, scan, 'ai_model'), { description: OPEN, auto: 'PREDEFINED', predefined: ['one'] }),
    );
    expectNone(commandDifferences(valid(sample), due), 'differences of the sample');
  });

  test.each<{ expected: string; change: (sample: SampleManifest) => unknown }>([
    { expected: `command ${scan}: missing in the manifest`, change: (one) => one.script.commands.shift() },
    {
      expected: 'command aisec-extra: not in the contract',
      change: (one) => one.script.commands.push({ ...commandOf(one, scan), name: 'aisec-extra' }),
    },
    {
      expected: `${list} argument colour: not in the contract`,
      change: (one) => commandOf(one, list).arguments.push({ name: 'colour', description: 'A colour.' }),
    },
    {
      expected: `${list} argument limit defaultValue: "50" in the manifest, "100" in the contract`,
      change: (one) => Object.assign(argumentOf(one, list, 'limit'), { defaultValue: '50' }),
    },
    {
      expected: `${scan} argument prompt required: false in the manifest, true in the contract`,
      change: (one) => Reflect.deleteProperty(argumentOf(one, scan, 'prompt'), 'required'),
    },
    {
      expected: `${apply} argument action choices: open in the manifest, allow, block in the contract`,
      change: (one) => Reflect.deleteProperty(argumentOf(one, apply, 'action'), 'auto'),
    },
    {
      expected: `${scan} argument ai_model: says that other values are good, and offers none`,
      change: (one) => Object.assign(argumentOf(one, scan, 'ai_model'), { description: OPEN }),
    },
    {
      expected: `${apply} argument action: says that it is open, and is closed in the contract`,
      change: (one) => Object.assign(argumentOf(one, apply, 'action'), { description: OPEN }),
    },
    {
      expected: `${apply} argument keep_guardrail_action: the description lacks its mark`,
      change: (one) =>
        commandOf(one, apply).arguments.push({
          name: 'keep_guardrail_action',
          description: 'Keep it.',
          defaultValue: 'false',
        }),
    },
    {
      expected: `${scan} output AiSec.RuntimeScan.scan_id: missing in the manifest`,
      change: (one) => commandOf(one, scan).outputs.shift(),
    },
    {
      expected: `${list} output AiSec.Topic.revision type: "String" in the manifest, "Number" in the contract`,
      change: (one) =>
        Object.assign(
          found(commandOf(one, list).outputs, (output) => output['contextPath'] === 'AiSec.Topic.revision'),
          { type: 'String' },
        ),
    },
    {
      expected: 'parameter Server URL required: false in the manifest, true in the contract',
      change: (one) => Reflect.deleteProperty(parameterOf(one, 'url'), 'required'),
    },
  ])('report $expected', ({ expected, change }) => {
    const manifest = valid(broken(change));
    const differences = [...commandDifferences(manifest, due), ...parameterDifferences(manifest, connectionParameters)];
    expect(differences).toEqual([expected]);
  });

  test.each<{ what: string; at: string; change: (sample: SampleManifest) => unknown }>([
    { what: 'an unknown key', at: 'integration.yml', change: (one) => Object.assign(one, { colour: 'red' }) },
    {
      what: 'an unknown category',
      at: 'category',
      change: (one) => Object.assign(one, { category: 'AI Security' }),
    },
    {
      what: 'a display text that says integration',
      at: 'display',
      change: (one) => Object.assign(one, { display: 'Sample Integration' }),
    },
    {
      what: 'a description without its full stop',
      at: `script.commands.${scan}.description`,
      change: (one) => Object.assign(commandOf(one, scan), { description: 'Scan' }),
    },
    {
      what: 'an unknown argument key',
      at: `script.commands.${list}.arguments.limit`,
      change: (one) => Object.assign(argumentOf(one, list, 'limit'), { defaultvalue: '1' }),
    },
    {
      what: 'two default arguments',
      at: `script.commands.${list}.arguments`,
      change: (one) => commandOf(one, list).arguments.map((argument) => Object.assign(argument, { default: true })),
    },
    {
      what: 'a duplicate argument',
      at: `script.commands.${list}.arguments`,
      change: (one) => commandOf(one, list).arguments.push(argumentOf(one, list, 'limit')),
    },
    {
      what: 'a context path six names deep',
      at: `script.commands.${scan}.outputs.AiSec.a.b.c.d.e.contextPath`,
      change: (one) => commandOf(one, scan).outputs.push({ contextPath: 'AiSec.a.b.c.d.e', description: 'Deep.' }),
    },
    {
      what: 'a proxy switch that is on by default',
      at: 'configuration.proxy.defaultvalue',
      change: (one) => Object.assign(parameterOf(one, 'proxy'), { defaultvalue: 'true' }),
    },
    {
      what: 'a parameter without a display text',
      at: 'configuration.url',
      change: (one) => Reflect.deleteProperty(parameterOf(one, 'url'), 'display'),
    },
    {
      what: 'a visible parameter of the old encrypted type',
      at: 'configuration.url',
      change: (one) => Object.assign(parameterOf(one, 'url'), { type: 4 }),
    },
    {
      what: 'a default address without TLS',
      at: 'configuration.url.defaultvalue',
      change: (one) => Object.assign(parameterOf(one, 'url'), { defaultvalue: 'http://host.example' }),
    },
  ])('refuse $what', ({ at, change }) => {
    const places = integrationFaults(broken(change)).map((line) => line.slice(0, line.indexOf(': ')));
    expect(new Set(places)).toEqual(new Set([at]));
  });
});
