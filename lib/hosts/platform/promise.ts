/**
 * A promise with its own job queue. The platform's engine runs its job queue only after a script has returned, so a
 * script could never return an awaited value. On the platform this class replaces `Promise`; every wait is a
 * synchronous call, so draining the queue settles all promises. It implements only the functions that the bundle uses;
 * `es5-gate.ts` rejects the rest.
 */

type Job = () => void;
type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;
type Settle<Value> = (value: Value | PromiseLike<Value>) => void;
type Reject = (reason: unknown) => void;
type Executor<Value> = (resolve: Settle<Value>, reject: Reject) => void;
type Handler<Value, Next> = ((value: Value) => Next | PromiseLike<Next>) | null | undefined;

const queue: Job[] = [];

/** Runs queued jobs, including jobs that they queue. Finished jobs are released for garbage collection. */
function drain(): void {
  while (queue.length > 0) for (const job of queue.splice(0)) job();
}

/** Follows the language's order: a chain settles after as many ticks as a native one. */
export class SyncPromise<Value> implements PromiseLike<Value> {
  private state: 'pending' | 'fulfilled' | 'rejected' = 'pending';
  private outcome: unknown = undefined;
  private waiting: Job[] = [];

  constructor(executor: Executor<Value>) {
    const [resolve, reject] = this.settlers();
    try {
      executor(resolve, reject);
    } catch (thrown) {
      reject(thrown);
    }
  }

  // biome-ignore lint/suspicious/noThenProperty: this is a promise.
  then<Next = Value, Caught = never>(
    onFulfilled?: Handler<Value, Next>,
    onRejected?: Handler<unknown, Caught>,
  ): SyncPromise<Next | Caught> {
    return new SyncPromise<Next | Caught>((resolve, reject) => {
      const react = () => {
        const handler: unknown = this.state === 'fulfilled' ? onFulfilled : onRejected;
        if (typeof handler !== 'function') {
          if (this.state === 'fulfilled') resolve(this.outcome as Next);
          else reject(this.outcome);
          return;
        }
        try {
          resolve(handler(this.outcome));
        } catch (thrown) {
          reject(thrown);
        }
      };
      if (this.state === 'pending') this.waiting.push(() => queue.push(react));
      else queue.push(react);
    });
  }

  catch<Caught = never>(onRejected?: Handler<unknown, Caught>): SyncPromise<Value | Caught> {
    return this.then(undefined, onRejected);
  }

  /** Creates the resolving functions; only the first call of either has an effect. */
  private settlers(): [Settle<Value>, Reject] {
    let decided = false;
    const once =
      <Argument>(act: (argument: Argument) => void) =>
      (argument: Argument) => {
        if (decided) return;
        decided = true;
        act(argument);
      };
    return [once((value) => this.follow(value)), once((reason) => this.settle('rejected', reason))];
  }

  private follow(value: unknown): void {
    if (value === this) {
      this.settle('rejected', new TypeError('A promise cannot wait for itself.'));
      return;
    }
    let then: unknown;
    try {
      then = isObject(value) ? value['then'] : undefined;
    } catch (thrown) {
      this.settle('rejected', thrown);
      return;
    }
    if (isFunction(then)) queue.push(() => this.adopt(value, then));
    else this.settle('fulfilled', value);
  }

  private adopt(thenable: unknown, then: AnyFunction): void {
    const [resolve, reject] = this.settlers();
    try {
      then.call(thenable, resolve, reject);
    } catch (thrown) {
      reject(thrown);
    }
  }

  private settle(state: 'fulfilled' | 'rejected', outcome: unknown): void {
    this.state = state;
    this.outcome = outcome;
    for (const job of this.waiting) job();
    this.waiting = [];
  }

  static resolve<Value>(value?: Value | PromiseLike<Value>): SyncPromise<Value> {
    if (value instanceof SyncPromise) return value;
    return new SyncPromise<Value>((resolve) => resolve(value as Value));
  }

  static reject(reason: unknown): SyncPromise<never> {
    return new SyncPromise<never>((_, reject) => reject(reason));
  }

  /** Waits for all items; the results keep their order. */
  static all<Value>(items: Iterable<Value | PromiseLike<Value>>): SyncPromise<Value[]> {
    return new SyncPromise<Value[]>((resolve, reject) => {
      const promises = Array.from(items, (item) => SyncPromise.resolve(item));
      const results: Value[] = [];
      let open = promises.length;
      if (open === 0) resolve(results);
      promises.forEach((promise, at) => {
        const done = (result: Value) => {
          results[at] = result;
          open -= 1;
          if (open === 0) resolve(results);
        };
        promise.then(done, reject);
      });
    });
  }

  /**
   * Drains the queue and returns the promise's value.
   * @throws the reason of a rejected promise; an Error if it is still pending, because nothing can settle it later
   */
  static take<Value>(promise: SyncPromise<Value>): Value {
    drain();
    if (promise.state === 'fulfilled') return promise.outcome as Value;
    throw promise.state === 'rejected'
      ? promise.outcome
      : new Error('The command did not settle: a promise stays pending.');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function';
}
