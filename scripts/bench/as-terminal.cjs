/** Preloaded into a program: makes stdin look like a terminal, so that the program shows its prompt and reads keys. */
process.stdin.isTTY = true;
process.stdin.setRawMode = () => process.stdin;
