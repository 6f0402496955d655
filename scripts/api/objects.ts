/** The schemas of the objects that several routes return. */

import type { Cause } from '../../lib/guard/types.ts';
import { listSchema, objectSchema, refTo, typed } from '../../lib/hosts/http/route.ts';
import type { JsonSchema } from '../../lib/manifest/schema.ts';
import { RUN_STATES } from '../../lib/runs/port.ts';
import type { CellKind } from '../../lib/runtime/select/printed.ts';

const DATE = { format: 'date-time' };
const COUNT = { minimum: 0 };
const OUTPUTS = typed('object', 'Values by context path, such as `AiSec.Topic`; empty after a dry run.', {
  additionalProperties: true,
});
const SIMULATED = typed('boolean', 'Whether the simulated service responded instead of a tenant.');
const PLANNED = typed('boolean', 'Whether this was a dry run, which changes nothing.');

const SESSION_MEMBERS = {
  id: typed('string', 'Identifier of the session.'),
  created: typed('string', 'When the session was opened.', DATE),
  used: typed('string', 'When the session was last used.', DATE),
  lines: typed('integer', 'Number of its lines.', COUNT),
  contextBytes: typed('integer', 'Size of its context, in bytes of JSON.', COUNT),
  url: typed('string', 'Path of this session.', { format: 'uri-reference' }),
};

const names = (description: string) => listSchema({ type: 'string' }, description);

const INPUTS = listSchema(
  objectSchema({
    name: typed('string', 'Name of the input.'),
    description: typed('string', 'Description of the input.'),
    required: typed('boolean', 'Whether a rehearsal needs the input: it has no default.'),
    'default?': typed('string', 'Its value if none is given; a reference such as `${Example.path}` is looked up.'),
    'argument?': objectSchema(
      { command: typed('string', 'A command.'), name: typed('string', 'Name of its argument.') },
      'The first argument that gets the value unchanged.',
    ),
  }),
  'Inputs.',
);
const PLAYBOOK = {
  title: typed('string', 'Title.'),
  description: typed('string', 'What it does; empty if it does not say so.'),
  effects: names('What its commands do to the tenant, such as `run` or `delete`; empty if they only read.'),
  inputs: INPUTS,
};
const POINT: JsonSchema = {
  ...{ type: 'array', description: 'A point: from the left edge and from the top, in pixels.' },
  ...{ items: { type: 'integer' }, minItems: 2, maxItems: 2 },
};

/** The guard's causes. A missing cause is a compile error. */
const CAUSES = Object.keys({
  authentication: 0,
  permission: 0,
  profile: 0,
  usage: 0,
  quota: 0,
  'rate-limit': 0,
  timeout: 0,
  network: 0,
  service: 0,
  incomplete: 0,
  'unknown-action': 0,
  malformed: 0,
  unreadable: 0,
  cancelled: 0,
} satisfies Record<Cause, 0>);

const HEAD_MEMBERS = {
  number: typed('integer', 'Number of the line, from 1.', { minimum: 1 }),
  line: typed('string', 'The line, secrets masked.'),
  command: typed(['string', 'null'], 'Name of the command; null if it is unknown.'),
  by: typed(['string', 'null'], 'The name that the caller gave itself in `x-aisec-tab`.'),
  time: typed('string', 'When it started.', DATE),
  ms: typed('integer', 'Its duration in milliseconds.', COUNT),
  state: typed('string', 'How it ended. `partial`: only some of the work was done.', {
    enum: ['done', 'partial', 'failed', 'stopped'],
  }),
  verdict: typed(['string', 'null'], "The verdict or state in the record's own words, such as `block` or `QUEUED`."),
  summary: typed('string', 'The result in one line, for people.'),
  count: typed(['integer', 'null'], 'Number of records, if the result is a list.', COUNT),
  wrote: names('The context paths that it wrote.'),
  starred: typed('boolean', 'Whether it has a star.'),
  stale: typed('boolean', 'Whether a value that the line refers to has changed since.'),
  dryRun: typed('boolean', 'Whether it was a dry run, which changes nothing.'),
  simulated: SIMULATED,
  run: typed(['string', 'null'], 'Identifier of the run that did the work; null if a request waited for it.'),
};

/** Members of a result that people see. */
const SHOWN_MEMBERS = {
  command: typed('string', 'Name of the command.'),
  outputs: OUTPUTS,
  readable: typed('string', 'The result for people, as markdown.'),
  notes: listSchema({ type: 'string' }, 'Next steps, arguments without effect, and risks: sentences for people.'),
  files: listSchema(refTo('File'), 'Files that the command wrote.'),
  simulated: SIMULATED,
  planned: PLANNED,
  'truncated?': objectSchema(
    {
      kept: typed('integer', 'Number of records in the result.', COUNT),
      total: typed(['integer', 'null'], 'Number of all records; null if the service does not report it.', COUNT),
      note: typed('string', 'How to get the remaining records.'),
      'file?': { description: 'The file with all records.', ...refTo('File') },
    },
    'Reason why the result omits records.',
  ),
  'failure?': { description: 'Why only some of the work was done.', ...refTo('Problem') },
};

/** Kinds of cells. A missing kind is a compile error. */
const CELL_KINDS = Object.keys({
  ...{ id: 0, time: 0, number: 0, flag: 0, state: 0, text: 0, rate: 0 },
} satisfies Record<CellKind, 0>);

/** Schemas by name. */
export const OBJECTS: Readonly<Record<string, JsonSchema>> = {
  Command: objectSchema(
    {
      name: typed('string', 'Name of the command.'),
      summary: typed('string', 'Summary of the command.'),
      effect: typed('string', 'Its effect on the tenant.', {
        enum: ['read', 'create', 'update', 'replace', 'delete', 'run'],
      }),
      annotations: objectSchema(
        {
          readOnlyHint: typed('boolean', 'It changes nothing at the service.'),
          destructiveHint: typed('boolean', 'It may overwrite or delete existing data.'),
          idempotentHint: typed('boolean', 'Repeating it changes nothing more.'),
          openWorldHint: typed('boolean', 'It contacts a system other than the service.'),
        },
        'Hints for programs that choose commands.',
      ),
      example: typed('string', 'Arguments of an example, as typed in the war room.'),
      rules: names('Rules that involve several arguments, as sentences.'),
      extensions: names('Arguments beyond the documented interface.'),
      content: names('Arguments whose values are prompts, responses or other content written by people.'),
      job: typed('boolean', 'Whether it may start work that continues at the service.'),
      columns: typed('object', 'Fields that people want first, by context path.', {
        additionalProperties: names('Names of fields.'),
      }),
      inputSchema: typed('object', 'JSON Schema (2020-12) of its arguments.', { additionalProperties: true }),
      outputSchema: typed('object', 'JSON Schema (2020-12) of its outputs.', { additionalProperties: true }),
    },
    'A command with its schemas.',
  ),
  Decision: objectSchema(
    {
      kind: typed('string', 'The kind of content that the decision is about.', { enum: ['input', 'output', 'tool'] }),
      action: typed('string', 'What to do. After `mask`, use `text` instead of the content.', {
        enum: ['allow', 'block', 'mask'],
      }),
      'text?': typed('string', 'The masked text, only after `mask`. The blocked text is never returned.'),
      'verdict?': objectSchema(
        {
          action: typed('string', "The service's action."),
          category: typed('string', 'Category of the service, such as `malicious`.'),
          profile: typed('string', 'Name of the security profile.'),
          detectors: names('Detectors that fired, such as `injection`.'),
        },
        "The service's verdict.",
      ),
      'unscanned?': typed('string', 'Why there is no complete verdict; the options then determine the action.', {
        enum: CAUSES,
      }),
      'profile?': typed('string', 'The security profile, if it cannot be used.'),
      reason: typed('string', 'Why it is so, in words: the detectors that fired, or why there is no complete verdict.'),
      'scanId?': typed('string', 'Identifier of the scan.'),
      'reportId?': typed('string', 'Identifier of its report.'),
      ms: typed('integer', 'Time of the decision, in milliseconds.', COUNT),
      cached: typed('boolean', 'Whether it is the verdict of an earlier scan of the same content.'),
    },
    'A decision of the guard.',
  ),
  Entry: objectSchema(
    {
      number: typed('integer', 'Number of the line, from 1.', { minimum: 1 }),
      line: typed('string', 'The line, secrets masked.'),
      'result?': { description: 'Its result.', ...refTo('Result') },
      'problem?': { description: 'Why it failed.', ...refTo('Problem') },
    },
    'A session line with its result or problem.',
  ),
  EntryDetail: objectSchema(
    {
      ...HEAD_MEMBERS,
      'result?': objectSchema(SHOWN_MEMBERS, 'Its result.'),
      'problem?': { description: 'Why it failed.', ...refTo('Problem') },
      tables: listSchema(refTo('ResultTable'), 'Its result as tables for people.'),
      requests: listSchema(
        refTo('SeenRequest'),
        'The requests that it sent: the first 50, and later ones that failed.',
      ),
      requestsOmitted: typed('integer', 'Number of requests that are not kept.', COUNT),
    },
    'A session line with its result or problem, and its requests.',
  ),
  EntryHead: objectSchema(HEAD_MEMBERS, 'A session line without its result.'),
  File: objectSchema(
    {
      id: typed('string', 'Identifier, for arguments that take a file.', { pattern: '^[0-9a-f]{24}$' }),
      name: typed('string', 'Name of the file.'),
      size: typed(['integer', 'null'], 'Size in bytes; null if it is not known.', COUNT),
      contentType: typed('string', 'Media type.'),
      url: typed('string', 'Path of its content.', { format: 'uri-reference' }),
    },
    'A file that was uploaded, or written by a command.',
  ),
  Me: objectSchema(
    {
      name: typed('string', 'Name of the token.'),
      role: typed('string', 'Its role.', { enum: ['read', 'operate', 'admin'] }),
      profile: typed(['string', 'null'], 'Section of the settings file, or null without a section.'),
      tenant: typed(['string', 'null'], 'Tenant services group; null if it is not known or simulated.'),
      production: typed('boolean', 'Whether the section is marked as a production tenant.'),
      simulated: SIMULATED,
      version: typed('string', 'Version of the program.'),
    },
    'The caller and its tenant.',
  ),
  PlaybookGraph: objectSchema(
    {
      ...PLAYBOOK,
      isDrawn: typed('boolean', 'Whether the tasks have places; false if there are too many tasks or links to draw.'),
      width: typed('integer', 'Width of the graph, in pixels.', COUNT),
      height: typed('integer', 'Height of the graph, in pixels.', COUNT),
      tasks: listSchema(
        objectSchema({
          id: typed('string', 'Identifier of the task.'),
          name: typed('string', 'Name of the task.'),
          kind: typed('string', 'What it does.', {
            enum: ['command', 'script', 'condition', 'question', 'start', 'title'],
          }),
          'command?': typed('string', 'The command that it runs.'),
          x: typed('integer', 'Left edge, in pixels.', COUNT),
          y: typed('integer', 'Top edge, in pixels.', COUNT),
          width: typed('integer', 'Width, in pixels.', COUNT),
          height: typed('integer', 'Height, in pixels.', COUNT),
        }),
        'Its tasks.',
      ),
      links: listSchema(
        objectSchema({
          from: typed('string', 'Task before.'),
          to: typed('string', 'Task after.'),
          branch: typed('string', 'The branch of the task before, such as #default#.'),
          label: typed('string', 'The branch for people; empty for a task without conditions.'),
          isError: typed('boolean', 'Whether it is taken after a failure.'),
          points: listSchema(POINT, 'Points of its line.'),
          labelAt: POINT,
        }),
        'Links from task to task.',
      ),
    },
    'A playbook as a graph.',
  ),
  Playbook: objectSchema(
    {
      name: typed('string', 'Name, with which it can be rehearsed.'),
      ...PLAYBOOK,
      taskCount: typed('integer', 'Number of its tasks.', COUNT),
    },
    'A playbook that ships with the program.',
  ),
  Problem: objectSchema(
    {
      type: typed('string', 'Problem type: `urn:aisec:problem:` and its code.', { format: 'uri' }),
      title: typed('string', 'Short name of the HTTP status.'),
      status: typed('integer', 'The HTTP status.', { minimum: 400, maximum: 599 }),
      detail: typed('string', 'What happened.'),
      code: typed('string', 'The code for programs, such as `arguments` or `not-found`.'),
      retryable: typed('boolean', 'Whether the same request may be sent again unchanged.'),
      'hint?': typed('string', 'The next step.'),
      'command?': typed('string', 'Name of the command.'),
      'argument?': typed('string', 'Name of the argument.'),
      'errors?': listSchema(
        objectSchema({
          detail: typed('string', 'The problem.'),
          'pointer?': typed('string', 'Position in the body: a JSON pointer as a fragment, such as `#/prompt`.'),
          'hint?': typed('string', 'How to fix it.'),
        }),
        'All problems of the arguments.',
      ),
      'upstreamStatus?': typed('integer', 'The status that the service responded with.'),
      'upstreamRequestId?': typed('string', "The service's id of the request that failed, for its support."),
    },
    'Why a request failed, as in RFC 9457.',
  ),
  Rehearsal: objectSchema(
    {
      playbook: typed('string', 'Name of the playbook.'),
      outputs: typed('object', 'Values by declared context path; null if the path has no value.', {
        additionalProperties: true,
      }),
      tasks: listSchema(refTo('RehearsedTask'), 'The tasks that ran, in order.'),
      planned: PLANNED,
      simulated: SIMULATED,
      'failure?': { description: 'Reason for an early end.', ...refTo('Problem') },
      'failedTask?': typed('string', 'The task that failed.'),
    },
    'A rehearsal of a playbook.',
  ),
  RehearsedTask: objectSchema(
    {
      id: typed('string', 'Identifier of the task in the playbook.'),
      name: typed('string', 'Its name.'),
      kind: typed('string', 'Its kind, such as `command` or `condition`.'),
      'command?': typed('string', 'Name of its command.'),
      'times?': typed('integer', 'Number of calls of the command.', COUNT),
      'records?': typed('object', 'Number of its records, by context path.', {
        additionalProperties: { type: 'integer' },
      }),
      outcome: typed('string', 'Outcome; `handled` is a failure for which the playbook has an error path.', {
        enum: ['done', 'failed', 'handled'],
      }),
      'branch?': typed('string', 'The branch taken, if there are several.'),
      'error?': objectSchema({
        code: typed('string', 'The code for programs.'),
        message: typed('string', 'What happened.'),
      }),
      'line?': typed('integer', 'Its line in the playbook.', COUNT),
      'trace?': typed('object', 'Inputs and comparisons, secrets masked.', { additionalProperties: true }),
    },
    'One task of a rehearsal.',
  ),
  Result: objectSchema(
    {
      ...SHOWN_MEMBERS,
      raw: {
        description:
          'The response of the service, with secrets masked; after a dry run, the request that was not sent.',
      },
    },
    'Result of a command.',
  ),
  ResultTable: objectSchema(
    {
      path: typed('string', 'Context path; empty for an answer that is not in the context.'),
      title: typed('string', 'Title for people.'),
      many: typed('boolean', 'Whether it is a list; otherwise its only row is a record.'),
      first: names('Names of the columns that people want first: the first of all columns.'),
      columns: listSchema(
        objectSchema({
          name: typed('string', 'Name of the field, such as `owner.email`; empty for the value itself.'),
          title: typed('string', 'Title for people.'),
          kind: typed('string', 'What it holds.', { enum: CELL_KINDS }),
        }),
        'All columns.',
      ),
      rows: { type: 'array', description: 'Records or values, secrets hidden.' },
    },
    'A list or a record in a result.',
  ),
  Run: objectSchema(
    {
      id: typed('string', 'Identifier of the run.'),
      command: typed('string', 'Name of the command, `line` or `playbook`.'),
      'session?': typed('string', 'Identifier of the session, if it runs a line.'),
      'line?': typed('string', 'The line, secrets masked.'),
      'playbook?': objectSchema(
        {
          title: typed('string', 'Its title.'),
          name: typed(['string', 'null'], 'Its name, if it ships with the program.'),
        },
        'The playbook, if it rehearses one.',
      ),
      state: typed(
        'string',
        'State. `partial`: only some of the work was done; `unknown`: it started, and its outcome is not known; `unreadable`: its record cannot be read.',
        { enum: RUN_STATES },
      ),
      created: typed('string', 'When it was requested.', DATE),
      started: typed(['string', 'null'], 'When it was started; null while it is queued.', DATE),
      ended: typed(['string', 'null'], 'When it ended; null until then.', DATE),
      progress: typed(['string', 'null'], 'The last line of progress.'),
      url: typed('string', 'Path of this run.', { format: 'uri-reference' }),
      eventsUrl: typed('string', 'Path of its events.', { format: 'uri-reference' }),
      'result?': {
        description: 'The result of a command, the entry of a session line, or a rehearsal.',
        anyOf: [refTo('Result'), refTo('Entry'), refTo('Rehearsal')],
      },
      'problem?': { description: 'Why it failed.', ...refTo('Problem') },
    },
    'Work that continues after the response.',
  ),
  SeenRequest: objectSchema(
    {
      method: typed('string', 'Method.'),
      url: typed('string', 'Address, secrets masked.'),
      status: typed(['integer', 'null'], 'Status of the response; null if there was none.'),
      ms: typed('integer', 'Its duration in milliseconds.', COUNT),
      at: typed('string', 'When it was sent.', DATE),
      'sent?': { description: 'The body, secrets masked: JSON, or a text if it is long or no JSON.' },
      'received?': { description: 'The body of the response, in the same form.' },
    },
    'A request to the service.',
  ),
  Session: objectSchema(SESSION_MEMBERS, 'A war room: its lines can refer to the results of earlier ones.'),
  LineCompletion: objectSchema(
    {
      offers: listSchema(
        objectSchema({
          text: typed('string', 'Text for the line, quoted if the line needs that.'),
          'description?': typed('string', 'What it is, such as the name of a record.'),
        }),
        'What can stand at the cursor, best first.',
      ),
      from: typed('integer', 'An offer replaces the text of the line from here to the cursor.', COUNT),
      command: typed(['string', 'null'], 'Command of the line; null if the caller may run no such command.'),
      arguments: listSchema(
        objectSchema({
          name: typed('string', 'Name; empty for a word that belongs to no argument.'),
          value: typed('string', 'Value, without quotes.'),
        }),
        'Arguments as typed so far.',
      ),
      missing: names('Required arguments that the line lacks.'),
      question: typed(['string', 'null'], 'For a deletion to confirm, what to ask before the line is run.'),
      seal: typed(['string', 'null'], 'For a deletion to confirm, what to send with the line if the answer is yes.'),
    },
    'How a line can continue, and how it is understood.',
  ),
  SessionDetail: objectSchema(
    {
      ...SESSION_MEMBERS,
      entries: listSchema(refTo('Entry'), 'Its lines with their results, in order.'),
      context: typed('object', 'Results by context path, to which later lines can refer.', {
        additionalProperties: true,
      }),
    },
    'A war room with its lines and its context.',
  ),
};
