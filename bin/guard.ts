/** The module `aisec/guard`: decisions before a text enters or leaves an application. It needs no package and no Node. */
export * from '../lib/guard/guard.ts';
export * from '../lib/guard/log-line.ts';
