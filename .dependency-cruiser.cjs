/** The house rules of docs/architecture.md, as a machine can check them. */
const NEUTRAL = [
  '^commands/',
  '^context/',
  '^lib/(core|engine)/',
  '^lib/client/runtime',
  '^lib/(api|bulk|output|project|redaction|text)/',
  '^lib/arguments/(?!argv)',
  '^lib/features/guardrails/(reconcile|topic-references)',
  '^lib/transport/(platform|simulated|failures|multipart)',
  '^lib/settings/(address|required|settings)',
  '^lib/hosts/platform/',
];

/** The rooms of lib, floor by floor from the ground. A file imports from its own room and from lower floors alone. */
const FLOORS = [
  ['text'],
  ['core'],
  ['arguments', 'bulk', 'redaction'],
  ['documents', 'settings', 'log', 'output'],
  ['transport', 'api', 'node'],
  ['engine'],
  ['manifest', 'playbook', 'project'],
  ['client'],
  ['features', 'guard', 'runs'],
  ['hosts'],
  ['cli'],
];

/** Forbids what is not below: the rooms beside a room, and the floors above it. */
const floorRule = (room, floor) => ({
  name: `${room}-imports-from-lower-floors`,
  severity: 'error',
  from: { path: `^lib/${room}/` },
  to: {
    path: `^lib/(${FLOORS.slice(floor)
      .flat()
      .filter((other) => other !== room)
      .join('|')})/`,
  },
});

/** A package that only one place may import. */
const door = (name, place) => ({
  name: `one-door-${name}`,
  severity: 'error',
  from: { path: '^(bin|commands|context|lib|fixtures)/', pathNot: place },
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
        path: '^lib/(hosts/terminal|node|client/(?!runtime)|log/|transport/node|arguments/argv|node/settings|manifest)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'lib-knows-no-command',
      severity: 'error',
      from: { path: '^lib/' },
      to: { path: '^(commands|context|fixtures|tests|bin)/' },
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
      from: { path: '^lib/hosts/([^/]+)/' },
      to: { path: '^lib/hosts/([^/]+)/', pathNot: '^lib/hosts/$1/' },
    },
    ...FLOORS.flatMap((rooms, floor) => rooms.map((room) => floorRule(room, floor))),
    {
      name: 'only-bin-starts-the-program',
      comment: 'And the manual page is written from the tables of the program.',
      severity: 'error',
      from: { pathNot: '^(lib/cli/|bin/aisec|scripts/man-page)' },
      to: { path: '^lib/cli/' },
    },
    {
      name: 'a-short-command-starts-no-host',
      severity: 'error',
      from: { path: '^lib/cli/' },
      to: {
        path: '^lib/hosts/(?!terminal/)',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'projections-stay-out-of-the-native-bundle',
      severity: 'error',
      from: {
        path: '^(commands/|context/|lib/(core|engine|api|arguments|bulk|output|redaction|text|hosts/platform)/)',
      },
      to: { path: '^lib/project/' },
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
    door('ky', '^lib/transport/node/'),
    door('https-proxy-agent', '^lib/transport/node/'),
    door('yargs-parser', '^lib/arguments/argv'),
    door('ajv', '^lib/arguments/validators'),
    door('pino', '^lib/log/'),
    door(
      'yaml',
      '^lib/(node/settings/file|manifest/|documents/(read-document|parse-sliced)|hosts/terminal/render/yaml)',
    ),
    door('string-width', '^lib/hosts/terminal/'),
    door('jq-wasm', '^lib/hosts/terminal/render/jq'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
