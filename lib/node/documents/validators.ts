/**
 * Compiles validators for the schemas of documents. The build replaces this file with precompiled ones, apart from those
 * of arguments, which every command loads.
 */
export { type Failure, validatorOf } from '../../runtime/arguments/validators.ts';
