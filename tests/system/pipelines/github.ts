/** Runs the steps of a workflow and of the action as the GitHub Actions runner does: its expressions, commands and files. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';
import { clockEnvironment } from '../../support/machine.ts';
import { ended } from '../../support/program.ts';

export interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Input {
  readonly description: string;
  readonly required?: boolean;
  readonly default?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, Input>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

export interface Runner {
  /** The folder of the action. */
  readonly action: string;
  /** The working directory. */
  readonly folder: string;
  /** Folders at the start of PATH; steps add to them. */
  readonly path: string[];
  /** Temporary folder of the job. */
  readonly temp: string;
}

/** Outcome of a step. */
export interface Done {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  /** Undefined if it was skipped. */
  readonly code: number | undefined;
  readonly outputs: Readonly<Record<string, string>>;
  readonly log: string;
  readonly commands: readonly WorkflowCommand[];
  readonly summary: string;
  /** Steps of the action. */
  readonly inner: readonly Done[];
}

const NOTHING = { outputs: {}, log: '', commands: [], summary: '', inner: [] };

export function readAction(folder: string): Action {
  return parse(readFileSync(join(folder, 'action.yml'), 'utf8')) as Action;
}

/**
 * Runs steps in order.
 *
 * @param values of expressions, by dotted name
 * @param environment of every step
 */
export async function runSteps(
  steps: readonly Step[],
  values: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
  runner: Runner,
): Promise<Done[]> {
  const done: Done[] = [];
  const known: Record<string, string> = { ...values };
  for (const step of steps) {
    const scope = { values: known, failed: done.some(({ code = 0 }) => code !== 0) };
    const text = (value: unknown) => interpolated(String(value), scope);
    const all = (record: Readonly<Record<string, unknown>> = {}) =>
      Object.fromEntries(Object.entries(record).map(([name, value]) => [name, text(value)]));
    const given = { ...environment, ...all(step.env) };
    const result = isDue(step.if, scope)
      ? await runStep(step, { with: all(step.with), environment: given, script: text(step.run ?? '') }, runner)
      : { ...NOTHING, code: undefined };
    done.push(step.uses === undefined ? result : { ...result, uses: step.uses });
    for (const [name, value] of Object.entries(result.outputs)) known[`steps.${step.id}.outputs.${name}`] = value;
  }
  return done;
}

interface Filled {
  readonly with: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly script: string;
}

async function runStep({ uses }: Step, filled: Filled, runner: Runner): Promise<Done> {
  if (uses === undefined) return runScript(filled, runner);
  // Other actions are not available; only their inputs matter.
  if (!uses.includes('/pipelines/github@')) return { ...NOTHING, code: 0, with: filled.with };
  return runAction(filled.with, filled.environment, runner);
}

/** Runs the action. @param given its inputs */
export async function runAction(
  given: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
  runner: Runner,
): Promise<Done> {
  const { inputs, outputs, runs } = readAction(runner.action);
  const unknown = Object.keys(given).filter((name) => inputs[name] === undefined);
  if (unknown.length > 0) throw new Error(`the action has no input ${unknown.join(', ')}`);
  const values = Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [`inputs.${name}`, given[name] ?? input.default ?? '']),
  );
  const inner = await runSteps(runs.steps, values, environment, runner);
  const results = Object.fromEntries(
    inner.flatMap((step, at) =>
      Object.entries(step.outputs).map(([name, value]) => [`steps.${runs.steps[at]?.id}.outputs.${name}`, value]),
    ),
  );
  const scope = { values: results, failed: false };
  return {
    with: given,
    code: inner.find(({ code = 0 }) => code !== 0)?.code ?? 0,
    outputs: Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, interpolated(value, scope)])),
    log: inner.map(({ log }) => log).join(''),
    commands: inner.flatMap(({ commands }) => commands),
    summary: inner.map(({ summary }) => summary).join(''),
    inner,
  };
}

async function runScript({ script, environment }: Filled, runner: Runner): Promise<Done> {
  const files = mkdtempSync(join(runner.temp, 'step-'));
  const at = (name: string, text = '') => {
    writeFileSync(join(files, name), text);
    return join(files, name);
  };
  const [output, summary, path] = [at('output'), at('summary'), at('path')];
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', at('script.sh', script)], {
    cwd: runner.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ HOME: runner.folder, ...clockEnvironment() },
      ...environment,
      PATH: [...runner.path, process.env['PATH']].join(':'),
      ...{ GITHUB_ACTIONS: 'true', CI: 'true', GITHUB_WORKSPACE: runner.folder, RUNNER_TEMP: runner.temp },
      ...{ GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, GITHUB_PATH: path, GITHUB_ACTION_PATH: runner.action },
    },
  });
  const { code, stdout, stderr } = await ended(child);
  runner.path.unshift(...linesIn(path).reverse());
  return {
    code: code ?? 1,
    outputs: outputsIn(linesIn(output)),
    log: stdout + stderr,
    // The runner reads the two streams in any order, so neither may depend on a command that the other one stops.
    commands: [...workflowCommands(stdout), ...workflowCommands(stderr)],
    summary: readFileSync(summary, 'utf8'),
    inner: [],
  };
}

function linesIn(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function outputsIn(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.indexOf('=');
      if (end < 1) throw new Error(`${line} is no output`);
      return [line.slice(0, end), line.slice(end + 1)];
    }),
  );
}

interface WorkflowCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/** `::name key=value,key=value::message` at the start of a line. */
const MODERN = /^\s*::([^\s:]+)(?: ([^:]*))?::(.*)$/;
/** `##[name key=value;key=value]message` anywhere in a line: the runner still obeys this form. */
const OLD = /##\[([^\s\]]+)(?: ([^\]]*))?\](.*)$/;

/** Returns the commands that the runner obeys. */
export function workflowCommands(log: string): WorkflowCommand[] {
  const commands: WorkflowCommand[] = [];
  let stoppedBy: string | undefined;
  for (const line of log.split('\n')) {
    const [, name, list = '', message = ''] = MODERN.exec(line) ?? OLD.exec(line) ?? [];
    if (name === undefined) continue;
    if (stoppedBy !== undefined) {
      if (name === stoppedBy) stoppedBy = undefined;
    } else if (name === 'stop-commands') stoppedBy = message;
    else commands.push({ name, properties: propertiesIn(list), message: unescaped(message) });
  }
  return commands;
}

function propertiesIn(list: string): Record<string, string> {
  const pairs = list.split(/[,;]/).filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), unescaped(pair.slice(pair.indexOf('=') + 1))]),
  );
}

function unescaped(text: string): string {
  const characters: Readonly<Record<string, string>> = { '0A': '\n', '0D': '\r', '3A': ':', '2C': ',', '25': '%' };
  return text.replace(/%(0A|0D|3A|2C|25)/g, (_, code: string) => characters[code] ?? '');
}

type Value = string | boolean | undefined;

/** Values by dotted name, such as `inputs.gate`. */
interface Scope {
  readonly values: Readonly<Record<string, string>>;
  /** Whether an earlier step failed. */
  readonly failed: boolean;
}

const TOKEN = /\s*('(?:[^']|'')*'|[A-Za-z_][\w.-]*(?:\(\))?|==|!=|&&|\|\||!|\(|\))/y;

/** Replaces the expressions of a text by their values. */
export function interpolated(text: string, scope: Scope): string {
  return text.replace(/\$\{\{([\s\S]*?)\}\}/g, (_, expression: string) => String(evaluated(expression, scope) ?? ''));
}

/** Decides whether a step runs. Without a function about the state, only after steps that have not failed. */
export function isDue(condition: string | undefined, scope: Scope): boolean {
  const expression = (condition ?? 'success()').replace(/^\s*\$\{\{|\}\}\s*$/g, '');
  const hasState = /\b(?:always|success|failure|cancelled)\(\)/.test(expression);
  return (hasState || !scope.failed) && Boolean(evaluated(expression, scope));
}

/** Evaluates an expression as JavaScript, whose operators are the same. @throws Error for unknown syntax */
export function evaluated(expression: string, { values, failed }: Scope): Value {
  const functions: Readonly<Record<string, boolean>> = {
    'always()': true,
    'success()': !failed,
    'failure()': failed,
    'cancelled()': false,
  };
  const translated = tokensOf(expression).map((token) => {
    if (/^(?:[=!]=|&&|\|\||!|\(|\))$/.test(token)) return token.replace(/^([=!]=)$/, '$1=');
    if (token.startsWith("'")) return JSON.stringify(token.slice(1, -1).replace(/''/g, "'"));
    if (functions[token] !== undefined) return String(functions[token]);
    if (!/^(?:inputs|steps|secrets|vars|env)\./.test(token))
      throw new Error(`${token} is not expected in ${expression}`);
    return JSON.stringify(values[token] ?? '');
  });
  return runInNewContext(translated.join(' ')) as Value;
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (expression.slice(TOKEN.lastIndex).trim() !== '') {
    const at = TOKEN.lastIndex;
    const [, token] = TOKEN.exec(expression) ?? [];
    if (token === undefined) throw new Error(`cannot read ${expression.slice(at)}`);
    tokens.push(token);
  }
  return tokens;
}
