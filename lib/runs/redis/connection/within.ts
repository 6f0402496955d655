/** Does work within a time. @param work gets what is left of it @throws Error when the time is over, and that of the work */
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
