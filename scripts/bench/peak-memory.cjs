/** Loaded before a program: leaves its peak memory, in MB, in the file that PEAK_MEMORY names. */
const { writeFileSync } = require('node:fs');

process.on('exit', () => writeFileSync(process.env.PEAK_MEMORY, String(process.resourceUsage().maxRSS / 1024)));
