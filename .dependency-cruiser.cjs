/** The rules of docs/architecture.md, as a machine can check them. */

/** All that the script engine of the platform runs. */
const NEUTRAL = '^(commands|context|lib/(core|runtime|hosts/platform))/';

/** Rooms, floor by floor from the ground: a file imports from its own room and from lower floors. */
const FLOORS = {
  lib: [
    ['core'],
    ['runtime'],
    ['node', 'manifest'],
    ['playbook'],
    ['client'],
    ['guard', 'runs'],
    ['hosts'],
    ['features'],
  ],
  'lib/runtime': [
    ['arguments', 'bulk', 'topics'],
    ['settings', 'output'],
    ['transport'],
    ['api'],
    ['engine'],
    ['select'],
  ],
  'lib/node': [['system', 'log'], ['files'], ['settings', 'documents'], ['http']],
  'lib/hosts/terminal': [['ui'], ['line'], ['result'], ['room'], ['shell']],
  'lib/hosts/http': [['access', 'events'], ['sessions'], ['responses'], ['guarding', 'completion'], ['routes']],
  'lib/guard': [['readable'], ['adapters']],
  'lib/guard/adapters': [['ai-sdk', 'claude-agent', 'http', 'langchain', 'mcp', 'openai-agents']],
  'lib/runs/redis': [['connection'], ['workers'], ['runs', 'shards']],
  'lib/features': [['scans'], ['explain', 'guardrails', 'gate', 'report'], ['topics', 'watch'], ['dashboard']],
};

const othersFrom = (floors, floor, room) =>
  floors
    .slice(floor)
    .flat()
    .filter((other) => other !== room)
    .join('|') || '-';

/** Forbids what is not below: the other rooms of a floor, and the floors above it. */
const floorRules = Object.entries(FLOORS).flatMap(([house, floors]) =>
  floors.flatMap((rooms, floor) =>
    rooms.map((room) => ({
      name: `${house}/${room}-imports-from-lower-floors`,
      severity: 'error',
      from: { path: `^${house}/${room}/` },
      to: { path: `^${house}/(${othersFrom(floors, floor, room)})/` },
    })),
  ),
);

/** A package that only one place may import. */
const door = (name, place) => ({
  name: `one-door-${name}`,
  severity: 'error',
  from: { path: '^(bin|commands|context|lib|web|fixtures)/', pathNot: place },
  to: { path: `node_modules/${name}/` },
});

module.exports = {
  forbidden: [
    {
      name: 'neutral-code-needs-no-node',
      comment: 'The same source runs inside the platform, where there is no Node.',
      severity: 'error',
      from: { path: NEUTRAL },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'neutral-code-needs-no-package-but-ajv',
      severity: 'error',
      from: { path: NEUTRAL },
      to: { path: 'node_modules', pathNot: 'node_modules/ajv/' },
    },
    {
      name: 'neutral-code-stays-neutral',
      severity: 'error',
      from: { path: NEUTRAL },
      to: {
        path: '^lib/(?!core/|runtime/|hosts/platform/)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'own-members-by-hand-only-where-the-engine-is-old',
      comment: 'Elsewhere, Object.hasOwn says the same.',
      severity: 'error',
      from: { path: '^(bin|lib)/', pathNot: [NEUTRAL, '^lib/core/'] },
      to: { path: '^lib/core/text/own' },
    },
    {
      name: 'lib-knows-no-command',
      severity: 'error',
      from: { path: '^lib/' },
      to: { path: '^(commands|context|fixtures|tests|bin)/' },
    },
    {
      name: 'the-page-has-no-powers-of-its-own',
      comment: 'It uses the routes of the service, and of the sources only what runs anywhere.',
      severity: 'error',
      from: { path: '^web/' },
      to: {
        path: '^(bin|commands|context|lib/(?!core/|runtime/)|fixtures|scripts|tests)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'the-service-does-not-know-its-page',
      severity: 'error',
      from: { path: '^(bin|commands|context|lib|fixtures)/' },
      to: { path: '^web/' },
    },
    {
      name: 'context-knows-no-command',
      severity: 'error',
      from: { path: '^context/' },
      to: { path: '^commands/' },
    },
    {
      name: 'domains-are-apart',
      severity: 'error',
      from: { path: '^(?:commands|context)/([^/]+)/' },
      to: { path: '^(?:commands|context)/([^/]+)/', pathNot: '^(?:commands|context)/$1/' },
    },
    {
      name: 'only-bin-joins-the-simulated-service',
      severity: 'error',
      from: { path: '^(commands|context|lib)/' },
      to: { path: '^fixtures/' },
    },
    {
      name: 'hosts-are-apart',
      severity: 'error',
      from: { path: '^lib/hosts/(?!terminal/shell/)([^/]+)/' },
      to: { path: '^lib/hosts/([^/]+)/', pathNot: '^lib/hosts/$1/' },
    },
    ...floorRules,
    {
      name: 'only-bin-starts-the-program',
      comment: 'And the manual page is written from the tables of the program.',
      severity: 'error',
      from: { pathNot: '^(lib/hosts/terminal/shell/|bin/|scripts/man-page)' },
      to: { path: '^lib/hosts/terminal/shell/' },
    },
    {
      name: 'a-short-command-starts-no-host',
      severity: 'error',
      from: { path: '^lib/(features|hosts/terminal)/' },
      to: {
        path: '^lib/hosts/(?!terminal/)',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'projections-stay-out-of-the-native-bundle',
      severity: 'error',
      from: {
        path: '^(commands/|context/|lib/(core|runtime/(?!select/)|hosts/platform)/)',
      },
      to: { path: '^lib/runtime/select/' },
    },
    {
      name: 'no-circular',
      comment: 'Types and lazily loaded modules count too: a shared type belongs to the part that owns it.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    door('@modelcontextprotocol', '^lib/hosts/mcp/'),
    door('@?fastify', '^lib/hosts/http/'),
    door('prom-client', '^lib/hosts/http/metrics'),
    door('bullmq', '^lib/runs/redis/'),
    door('ioredis', '^lib/runs/redis/'),
    door('ky', '^lib/node/http/'),
    door('https-proxy-agent', '^lib/node/http/'),
    door('yargs-parser', '^lib/client/argv'),
    door('ajv', '^lib/runtime/arguments/validators'),
    door('pino', '^lib/node/log/'),
    door('yaml', '^lib/(node/settings/file|manifest/|node/documents/|hosts/terminal/ui/yaml)'),
    door('string-width', '^lib/hosts/terminal/'),
    door('@?preact', '^web/'),
    door('@dagrejs', '^lib/playbook/graph'),
    door('jq-wasm', '^lib/hosts/terminal/ui/jq'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
