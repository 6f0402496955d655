/** Watches a line of a session while it runs, and makes its entry when it has ended. */
import type { HostCallOptions } from '../../../client/types.ts';
import type { Clock } from '../../../core/ports.ts';
import type { SeenRequest } from '../../../core/runtime.ts';
import { describe } from '../../../manifest/describe.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import { MASKED, maskedLine, mistypedCommand } from '../../../runtime/arguments/masked-line.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import type { Result } from '../../../runtime/output/result.ts';
import { type Glance, glanceOf } from '../../../runtime/select/glance.ts';
import type { ProblemDocument } from '../problems.ts';
import { type Entry, RequestCollector, type SeenRequests } from './entry.ts';
import type { EntryHead } from './entry-head.ts';
import { References } from './references.ts';

type Context = Readonly<Record<string, unknown>>;

/** A line that is about to run. */
export interface StartedLine {
  readonly line: string;
  /** The line without its secrets. */
  readonly shown?: string;
  /** Undefined if it is unknown. */
  readonly command?: Command | undefined;
  /** The tab that sent it. */
  readonly by?: string | undefined;
  readonly run?: string | undefined;
  readonly dryRun?: boolean;
}

/** How a line ended. */
export interface LineOutcome {
  readonly result?: unknown;
  readonly problem?: ProblemDocument;
  /** Only some of the work was done. */
  readonly partial?: boolean;
}

/** A line that has ended, without the members that its session adds. */
export interface EndedLine {
  readonly head: Omit<EntryHead, 'number' | 'starred'>;
  readonly outcome: Pick<Entry, 'result' | 'problem'>;
  readonly seen: SeenRequests;
  /** Commands whose results the entry holds. */
  readonly commands: readonly string[];
  readonly references: References | undefined;
}

/** The session of a line, as far as the line needs it. */
export interface LineRoom {
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly simulates: boolean;
  readonly context: () => Context;
  readonly keep: (ended: EndedLine) => Entry;
}

export class RunningLine {
  readonly #line: StartedLine;
  readonly #room: LineRoom;
  readonly #time: string;
  readonly #started: number;
  readonly #requests = new RequestCollector();
  readonly #references: References | undefined;
  /** The list commands that looked names up. */
  readonly #lists = new Set<string>();
  #isSent = false;
  #glance: Glance | undefined;
  #wrote: readonly string[] = [];
  #simulated: boolean;
  #stale = false;

  constructor(line: StartedLine, room: LineRoom) {
    this.#line = line;
    this.#room = room;
    this.#time = new Date(room.clock.now()).toISOString();
    this.#started = room.clock.elapsed();
    this.#references = References.of(line.line, room.context());
    this.#simulated = room.simulates;
  }

  /** Options of the call that runs the line. */
  get observers(): Pick<HostCallOptions, 'host' | 'onResult'> {
    const observe = (request: SeenRequest) => {
      this.#isSent = true;
      this.#requests.add(request);
    };
    return { host: { observe }, onResult: (result) => this.#read(result) };
  }

  /** Returns options of a list command that looks up a name: its requests are no results of the line's command. */
  lookUp(list: string): Pick<HostCallOptions, 'host'> {
    const observe = (request: SeenRequest) => {
      this.#lists.add(list);
      this.#requests.add(request);
    };
    return { host: { observe } };
  }

  /** Makes the entry, and keeps it. */
  end({ result, problem, partial = false }: LineOutcome): Entry {
    const {
      line,
      command,
      shown = lineWithoutSecrets(line, undefined),
      by = null,
      run = null,
      dryRun = false,
    } = this.#line;
    const state = problem === undefined ? (partial ? 'partial' : 'done') : stateAfter(problem);
    const { verdict = null, summary = '', count = null } = this.#glance ?? {};
    const hasResults = problem === undefined || this.#isSent;
    // The line's own result is no later change.
    this.#references?.renew(this.#room.context());
    return this.#room.keep({
      head: {
        ...{ line: shown, command: command?.name ?? null, by },
        ...{ time: this.#time, ms: Math.round(this.#room.clock.elapsed() - this.#started) },
        ...{ state, verdict, summary: problem?.detail ?? summary, count, wrote: this.#wrote },
        ...{ stale: this.#stale, dryRun, simulated: this.#simulated, run },
      },
      outcome: { ...(result === undefined ? {} : { result }), ...(problem === undefined ? {} : { problem }) },
      seen: this.#requests,
      commands: [...this.#lists, ...(command !== undefined && hasResults ? [command.name] : [])],
      // A line that was refused before a request of its command used no value.
      references: hasResults ? this.#references : undefined,
    });
  }

  #read(result: Result): void {
    this.#glance = glanceOf(result);
    this.#wrote = [...new Set(result.writes.map(({ path }) => path))];
    this.#simulated = result.simulated || this.#simulated;
    // Another line may have changed a value while this one ran.
    this.#stale = this.#references?.hasChanged(this.#room.context()) ?? false;
  }
}

function stateAfter({ code }: ProblemDocument): 'failed' | 'stopped' {
  return code === 'cancelled' ? 'stopped' : 'failed';
}

/** Masks the secrets of a line, and all values of an unknown command: any of them may be a secret. */
export function lineWithoutSecrets(line: string, known: KnownLine | undefined): string {
  if (known?.command === undefined) return mistypedCommand(line) ?? MASKED;
  const { command, invocation } = known;
  return maskedLine(`!${command.name}`, describe(command).arguments, invocation, 'secrets');
}

interface KnownLine {
  readonly command: Command | undefined;
  readonly invocation: Invocation;
}
