/** Limits the time of an operation. @param work receives a function that returns the time left @throws Error when the time is over */
export async function within<T>(milliseconds: number, work: (left: () => number) => Promise<T>): Promise<T> {
  const until = performance.now() + milliseconds;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('time-out')), milliseconds);
  });
  try {
    return await Promise.race([work(() => until - performance.now()), late]);
  } finally {
    clearTimeout(timer);
  }
}
