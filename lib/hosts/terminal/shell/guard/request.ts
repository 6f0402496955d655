/** Reads the options of `aisec guard`, and refuses options that would be ignored. */
import { UsageError } from '../../../../core/errors.ts';
import {
  createGuard,
  type Guard,
  type GuardContext,
  type GuardOptions,
  type Scanner,
} from '../../../../guard/guard.ts';
import { usageError } from '../../line/subcommand.ts';
import { type GuardCommand, USAGE } from './flags.ts';

const PAUSE_SECONDS = 1;
const WINDOWS_HINT = 'Such as --window 200,1600,80: the first window, the longest, and their overlap.';

type Options = GuardCommand['options'];

/** The kind of text on standard input. */
export type Subject =
  | { readonly kind: 'input' }
  | { readonly kind: 'output'; readonly windows: Sizes | undefined; readonly pauseMs: number }
  | { readonly kind: 'tool'; readonly server: string; readonly tool: string; readonly isResult: boolean };

/** Sizes of windows, in UTF-16 code units. */
export interface Sizes {
  readonly first: number;
  readonly max: number;
  readonly overlap: number;
}

/** Default sizes of the guard. */
const STANDARD: Sizes = { first: 200, max: 1600, overlap: 80 };

/** Reads the kind of standard input. `windows` is undefined if everything is held. @throws UsageError */
export function subjectOf(options: Options): Subject {
  const { prompt, tool, result } = options;
  if (options.profile === undefined || options.profile === '')
    throw usageError('aisec guard needs a security profile.', USAGE);
  if (prompt && tool !== undefined) throw new UsageError('Standard input is a prompt or a tool call, not both.');
  if (result && tool === undefined) throw new UsageError('Option --result needs --tool SERVER/TOOL.');
  if (tool !== undefined) return refusingStreams(options, toolOf(tool, options));
  if (prompt) return refusingStreams(options, { kind: 'input' });
  if (options.holdAll) {
    const stray = strayOf(options, ['window', 'pauseSeconds']);
    if (stray !== undefined) throw new UsageError(`Option --${stray} cannot be used with --hold-all.`);
  }
  const pauseMs = options.mask || options.holdAll ? 0 : (options.pauseSeconds ?? PAUSE_SECONDS) * 1000;
  if (options.mask && options.pauseSeconds !== undefined)
    throw new UsageError('Option --pause cannot be used with --mask.', {
      hint: 'A masked text may have another length, so its windows have to be complete.',
    });
  return { kind: 'output', windows: options.holdAll ? undefined : windowsOf(options.window), pauseMs };
}

function toolOf(typed: string, { mask, result }: Options): Subject {
  const [, server = '', tool = ''] = /^([^/]+)\/(.+)$/.exec(typed) ?? [];
  if (tool === '')
    throw new UsageError(`"${typed.slice(0, 60)}" is not SERVER/TOOL.`, { hint: 'Such as --tool mail/send.' });
  if (mask) throw new UsageError('Option --mask is for texts: the service cannot mask a tool call.');
  return { kind: 'tool', server, tool, isResult: result };
}

const STREAMS = ['window', 'holdAll', 'pauseSeconds'] as const;

function refusingStreams(options: Options, subject: Subject): Subject {
  const stray = strayOf(options, STREAMS);
  if (stray === undefined) return subject;
  throw new UsageError(`Option --${stray} is for a text that passes in pieces.`, {
    hint: 'Leave it out: a prompt and a tool call are scanned as a whole.',
  });
}

function strayOf(options: Options, names: readonly (typeof STREAMS)[number][]): string | undefined {
  const found = names.find((name) => options[name] !== undefined && options[name] !== false);
  return found === undefined ? undefined : { window: 'window', holdAll: 'hold-all', pauseSeconds: 'pause' }[found];
}

function windowsOf(typed: string | undefined): Sizes {
  if (typed === undefined) return STANDARD;
  const [, first, max, overlap] = /^(\d{1,6}),(\d{1,6}),(\d{1,6})$/.exec(typed) ?? [];
  if (overlap === undefined)
    throw new UsageError(`Option --window does not take "${typed.slice(0, 60)}".`, { hint: WINDOWS_HINT });
  return { first: Number(first), max: Number(max), overlap: Number(overlap) };
}

/** Creates the guard. @throws UsageError for windows that cannot be used */
export function guardOf(
  scanner: Scanner,
  subject: Subject,
  { options }: GuardCommand,
  onDecision: NonNullable<GuardOptions['onDecision']>,
): Guard {
  const { profile = '', onError = 'block', mask, timeoutSeconds } = options;
  const isAllow = onError === 'allow';
  try {
    return createGuard(scanner, {
      profile,
      onError: isAllow ? 'allow' : 'block',
      mask: { input: mask, output: mask },
      ...(timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1000 }),
      ...(subject.kind === 'output' ? { stream: subject.windows ?? 'all' } : {}),
      // A run scans one text, so a cache would never hit.
      cache: false,
      onDecision,
    });
  } catch (thrown) {
    if (thrown instanceof TypeError) throw new UsageError(thrown.message, { hint: WINDOWS_HINT });
    throw thrown;
  }
}

/** Returns the context of all scans. */
export function contextOf({ options, signal }: GuardCommand): GuardContext {
  const { sessionId, transactionId, appUser, aiModel } = options;
  return {
    signal,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(transactionId === undefined ? {} : { transaction_id: transactionId }),
    ...(appUser === undefined ? {} : { app_user: appUser }),
    ...(aiModel === undefined ? {} : { ai_model: aiModel }),
  };
}
