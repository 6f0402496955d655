/** A minimal program that prints. */
process.stdout.write('aisec\n');
