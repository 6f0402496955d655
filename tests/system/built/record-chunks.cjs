/** Loaded before the installed program: records the line at which each loaded chunk begins. */
'use strict';
const { appendFileSync } = require('node:fs');
const vm = require('node:vm');

vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    if (/chunks-\w+\.js$/.test(options?.filename)) appendFileSync(process.env.LOADED_CHUNKS, `${options.lineOffset}\n`);
  }
};
