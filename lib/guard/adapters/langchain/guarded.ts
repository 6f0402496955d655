/** Makes a guarded chat model of LangChain out of any other, which stays guarded whatever is bound to it. */
import type { Guard } from '../../types.ts';
import { EventSource } from './events.ts';
import { GuardedCalls, type Known, type ModelClass, type ModelOptions, type Provider } from './model.ts';

type Members = Readonly<Record<PropertyKey, unknown>>;
type Method = (...args: unknown[]) => unknown;

/** Methods whose result answers as the model does. */
const BINDERS = ['bind', 'bindTools', 'withConfig', 'withStructuredOutput', '_getModelInstance'];
/** Methods that show text. The framework's own take it from guarded calls; a class may have others. */
const OUTLETS = [
  ...['invoke', 'stream', 'batch', 'transform', 'streamEvents', 'streamV2', 'streamLog', 'generate', 'generatePrompt'],
  ...['_streamIterator', '_generateUncached', '_generateCached', '_streamChatModelEvents', '_streamEventsV1'],
  ...['_streamEventsV2', '_streamLog', '_transformStreamWithConfig', '_callWithConfig', '_batchWithConfig'],
];
/** Members of runnables that have others. */
const INNER = ['bound', 'steps', 'first', 'middle', 'last', 'mapper', 'runnable', 'fallbacks', 'branches', 'default'];
const MAX_DEPTH = 8;

interface Guarding {
  readonly guard: Guard;
  readonly options: ModelOptions;
  readonly known: Known | undefined;
}

/** Guarded models, with the model inside. */
const GUARDED = new WeakMap<object, { readonly guard: Guard; readonly target: object }>();

/**
 * Guards a chat model: `invoke`, `stream`, `streamEvents`, callbacks and the agent's stream of tokens show only what was
 * scanned. A blocked call answers with the guard's message and `finish_reason: "content_filter"`. What `bindTools`,
 * `withConfig` and `withStructuredOutput` return is guarded as well.
 * @throws TypeError if it is not a chat model, or has a cache, whose answers would not be scanned
 */
export function guardModel<Model extends object>(guard: Guard, model: Model, options: ModelOptions = {}): Model {
  return keptGuarded(model, { guard, options, known: undefined }) as Model;
}

/** Guards a model of an agent, also a model with the same guard: content that the middleware has scanned is not scanned again. */
export function guardedFor<Model extends object>(
  guard: Guard,
  model: Model,
  options: ModelOptions,
  known: Known,
): Model {
  const inner = GUARDED.get(model);
  return keptGuarded(inner?.guard === guard ? inner.target : model, { guard, options, known }) as Model;
}

/** Guards what a model returned, or was given: a model, or a runnable with a model inside. */
function keptGuarded(value: unknown, guarding: Guarding): unknown {
  if (!isObject(value)) return value;
  if (value instanceof Promise) return value.then((each) => keptGuarded(each, guarding));
  if (GUARDED.get(value)?.guard === guarding.guard) return value;
  if (isModel(value)) return guardedModel(value, guarding);
  if (isModel(value['bound'])) return rebound(value, guardedModel(value['bound'], guarding));
  const inside = hasModel(value, guarding.guard, MAX_DEPTH);
  if (inside === 'guarded') return value;
  throw new TypeError('guardModel of aisec/guard/langchain guards chat models. Guard the model, then build on it.');
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function isModel(value: unknown): value is Members & Provider {
  return isObject(value) && typeof value['_generate'] === 'function' && '_streamResponseChunks' in value;
}

/** Returns the same binding around another model. */
function rebound(binding: Members, bound: object): object {
  const { kwargs, config, configFactories } = binding;
  const create = binding.constructor as new (fields: object) => object;
  return new create({ bound, kwargs, config, configFactories });
}

/** Looks for models in a runnable, such as the sequence of a structured output. */
function hasModel(value: unknown, guard: Guard, depth: number): 'guarded' | 'unguarded' | 'none' {
  if (!isObject(value)) return 'none';
  if (GUARDED.get(value)?.guard === guard) return 'guarded';
  // What is too deep to be read is not known to be guarded.
  if (isModel(value) || depth === 0) return 'unguarded';
  const inner: readonly unknown[] = Array.isArray(value) ? value : INNER.flatMap((name) => childrenOf(value[name]));
  const found = inner.map((each) => hasModel(each, guard, depth - 1));
  if (found.includes('unguarded')) return 'unguarded';
  return found.includes('guarded') ? 'guarded' : 'none';
}

function childrenOf(member: unknown): unknown[] {
  if (Array.isArray(member)) return member;
  // A map of runnables is not a runnable itself.
  return isObject(member) && typeof member['invoke'] !== 'function' ? Object.values(member) : [member];
}

function guardedModel(target: Members & Provider, guarding: Guarding): object {
  const { guard, options, known } = guarding;
  const base = frameworkOf(target);
  check(target, base);
  const calls = new GuardedCalls(guard, target, options, known);
  const streams = target._streamResponseChunks !== base['_streamResponseChunks'];
  // Such a model asks others at each call: its own methods are guarded because `_getModelInstance` is.
  const isConfigurable = typeof target['_getModelInstance'] === 'function';
  const own: Record<PropertyKey, unknown> = {
    cache: undefined,
    ...(isConfigurable ? {} : { _generate: calls.generate }),
    // The framework compares the method with its own to find out whether the model streams.
    ...(streams ? { _streamResponseChunks: calls.stream } : {}),
    ...outlets(base, isConfigurable),
    ...(streams ? { _streamChatModelEvents: eventsOf(calls, base) } : {}),
  };
  const proxy = new Proxy(target, {
    get: (_, name, receiver) => {
      if (Object.hasOwn(own, name)) return own[name];
      const value = Reflect.get(target, name, receiver);
      if (!BINDERS.includes(String(name)) || typeof value !== 'function') return value;
      return (...args: unknown[]) => keptGuarded((value as Method).apply(receiver, args), guarding);
    },
  });
  GUARDED.set(proxy, { guard, target });
  return proxy;
}

function outlets(base: Members, isConfigurable: boolean): Members {
  const names = isConfigurable ? [] : OUTLETS.filter((name) => name in base);
  return Object.fromEntries(names.map((name) => [name, base[name]]));
}

/** Has the framework make events of guarded chunks: a provider's own events would leave unscanned. */
function eventsOf(calls: GuardedCalls, base: Members) {
  return (messages: never, options: never) => {
    const source = new EventSource(calls.stream(messages, options));
    const events = base['_streamChatModelEvents'] as (this: object, ...args: unknown[]) => AsyncIterable<Members>;
    return source.finished(events.call({ _streamResponseChunks: () => source.chunks() }, messages, options));
  };
}

/** Finds the framework's class of chat models: the first class that streams. */
function frameworkOf(target: object): Members {
  let found: object = target;
  for (let each: object | null = target; each !== null; each = Object.getPrototypeOf(each) as object | null)
    if (Object.hasOwn(each, '_streamResponseChunks')) found = each;
  return found as Members;
}

function check(target: Members, base: Members): void {
  if (base === target || !('_convertInputToPromptValue' in (target.constructor as unknown as ModelClass)))
    throw new TypeError('guardModel needs a chat model of @langchain/core 1.x.');
  if (target['cache'] !== undefined && target['cache'] !== null)
    throw new TypeError(
      'A guarded model must not have a cache, because cached answers are not scanned. Create the model without cache.',
    );
}
