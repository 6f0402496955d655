/** Loaded before a program: its input counts as a terminal, so that it begins a conversation and takes single keys. */
process.stdin.isTTY = true;
process.stdin.setRawMode = () => process.stdin;
