/**
 * Compiles validators for the schemas of documents. The build replaces this file with precompiled validators, separate
 * from the argument validators, which every command loads.
 */
export { type Failure, validatorOf } from '../../runtime/arguments/validators.ts';
