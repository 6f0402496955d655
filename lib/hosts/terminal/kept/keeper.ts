/** Keeps the result of a change until its output has left the process: the change cannot be repeated. */

import { AisecError, PartialError, UsageError } from '../../../core/errors.ts';
import type { Command } from '../../../engine/command.ts';
import { MASK } from '../../../output/mask.ts';
import type { Issued, Result } from '../../../output/result.ts';
import type { Execution } from '../modes/execution.ts';
import type { Choice } from '../options/output-options.ts';
import { jsonText } from '../render/json.ts';
import { asJson } from '../render/results.ts';
import { isHeld, isMasked, issuesSecrets, pointed, revealed } from './secrets.ts';

/** Loaded on use: most output reaches its reader. */
const files = () => import('./private-result.ts');

/** Time for the last output after a stop: the reader may not read. */
const LAST_OUTPUT_MS = 500;

export interface Keeper {
  /** Saves a one-time secret before anything can fail. @returns the result to show */
  take(result: Result): Promise<Result>;
  /** Waits until the output has left the process. If it cannot, the result is saved. */
  delivered(signal: AbortSignal): Promise<void>;
  /** Saves the result after a failure of its output. @returns the error to report */
  failed(thrown: unknown): Promise<unknown>;
}

/**
 * Creates the keeper of one command.
 * @returns undefined for a command that changes nothing, and in a war room, whose context goes on
 * @throws ConfigurationError if a one-time secret could not be saved
 */
export async function openKeeper(command: Command, execution: Execution, choice: Choice): Promise<Keeper | undefined> {
  const { options, format, mode, screen } = execution;
  const { name } = command;
  if (mode === 'war-room' && !options.reveal) return undefined;
  const reveals = options.reveal && isMasked(format);
  if (options.reveal && mode === 'one-shot' && !issuesSecrets(command)) throw nothingToReveal(name);
  if (mode === 'war-room') return reveals ? REVEALING : undefined;
  if (command.effect === 'read' || options.dryRun) return undefined;
  if (issuesSecrets(command) && !reveals) await (await files()).requireRoom(execution);
  let taken: Result | undefined;
  let pending: string | undefined;

  const save = async (): Promise<string> => {
    const path =
      taken === undefined
        ? undefined
        : await (await files()).savePrivately(`${name}.json`, `${jsonText(asJson(taken), true)}\n`, execution);
    const where = path === undefined ? 'its result could not be saved' : `its result is in ${path}`;
    return `${name} was ${taken?.failure === undefined ? '' : 'partly '}carried out; ${where}.`;
  };
  const settle = async () => {
    if (pending !== undefined) await (await files()).discard(pending);
    pending = undefined;
  };
  const keepSecret = async (result: Result, issued: Issued): Promise<Result> => {
    if (reveals) return { ...result, readable: revealed(result.readable, issued) };
    const { saveIssued, noteIssued } = await files();
    const path = await saveIssued(issued, execution);
    if (isHeld(result, issued, format, choice)) {
      pending = path;
      return result;
    }
    noteIssued(issued, path, screen);
    if (path === undefined) return result;
    return { ...result, readable: pointed(result.readable, issued, path) };
  };

  return {
    take: async (result) => {
      if (result.planned) return result;
      taken = result;
      return result.issued === undefined ? result : keepSecret(result, result.issued);
    },
    delivered: async (signal) => {
      if (taken !== undefined && !(await hasLeft(execution, signal))) {
        screen.note(`note: ${await save()}`);
        // A stop by a closed reader is not reported as an error.
        if (screen.closed.aborted && taken.failure?.hint !== undefined) screen.note(`hint: ${taken.failure.hint}`);
      }
      await settle();
    },
    failed: async (thrown) => {
      if (taken === undefined) return thrown;
      const sentence = await save();
      await settle();
      if (!(thrown instanceof AisecError)) {
        screen.note(`note: ${sentence}`);
        return thrown;
      }
      const message = withoutSecrets(thrown.message, taken.issued);
      const hint = thrown.hint === undefined ? sentence : `${sentence} ${thrown.hint}`;
      // Exit code 2 means that nothing was done.
      if (thrown instanceof UsageError) return new PartialError(message, { command: name, hint });
      return Object.assign(thrown, { message, hint });
    },
  };
}

/** The context of a war room keeps the secret, so it is only shown. */
const REVEALING: Keeper = {
  take: async (result) =>
    result.issued === undefined ? result : { ...result, readable: revealed(result.readable, result.issued) },
  delivered: async () => undefined,
  failed: async (thrown) => thrown,
};

/** Masks one-time secrets in a message: an expression may raise its input as an error. */
function withoutSecrets(message: string, issued: Issued | undefined): string {
  const record = issued?.record() ?? {};
  return (issued?.names ?? []).reduce((text, name) => text.replaceAll(String(record[name]), MASK), message);
}

function nothingToReveal(name: string): UsageError {
  return new UsageError(`Option --reveal does not apply to ${name}: it returns no one-time secret.`);
}

/** Reports whether the reader's end has accepted all output; after a stop, only a short time is left for it. */
async function hasLeft({ screen }: Execution, signal: AbortSignal): Promise<boolean> {
  const flushed = screen.flush().then(
    () => !screen.closed.aborted,
    () => false,
  );
  return Promise.race([flushed, afterStop(signal)]);
}

function afterStop(signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => void setTimeout(() => resolve(false), LAST_OUTPUT_MS).unref();
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
