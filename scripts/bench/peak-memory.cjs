/** Preloaded into a program: at its exit, writes peak memory (MB) and CPU time (ms) to the files in PEAK_MEMORY and CPU_TIME. */
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  const { PEAK_MEMORY, CPU_TIME } = process.env;
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  if (PEAK_MEMORY !== undefined) writeFileSync(PEAK_MEMORY, String(maxRSS / 1024));
  if (CPU_TIME !== undefined) writeFileSync(CPU_TIME, String((userCPUTime + systemCPUTime) / 1000));
});
