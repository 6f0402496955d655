/** Loaded before a program: leaves what its whole process took in the files that PEAK_MEMORY (MB) and CPU_TIME (milliseconds) name. */
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  const { PEAK_MEMORY, CPU_TIME } = process.env;
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  if (PEAK_MEMORY !== undefined) writeFileSync(PEAK_MEMORY, String(maxRSS / 1024));
  if (CPU_TIME !== undefined) writeFileSync(CPU_TIME, String((userCPUTime + systemCPUTime) / 1000));
});
