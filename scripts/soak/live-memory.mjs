/**
 * Preloaded into the service: replies to each message of the parent process with the memory in use after a garbage collection, in
 * MB. The resident memory also counts garbage that is not collected yet, and so depends on the machine.
 */
const MEGABYTE = 2 ** 20;

process.on('message', () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send(Math.round((heapUsed + external) / MEGABYTE));
});
// Let the service exit while the channel is open.
process.channel.unref();
