/** A minimal prompt: Node's own line editor, and one completion. */
const { createInterface } = require('node:readline');

createInterface({
  input: process.stdin,
  output: process.stdout,
  terminal: true,
  prompt: 'aisec> ',
  completer: (line) => [['!aisec-runtime-bulk-scan'], line],
}).prompt();
