/** The least that a program which prints does. */
process.stdout.write('aisec\n');
