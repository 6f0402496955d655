/**
 * The module `aisec/guard`: decisions before a text enters or leaves an application. It needs neither a package nor
 * Node.
 */

export { type DecisionLine, decisionLine } from '../lib/guard/cause-words.ts';
export * from '../lib/guard/guard.ts';
