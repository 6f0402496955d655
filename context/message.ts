/** What a service says of a change, where it may just as well say nothing. */
import { string } from '../lib/output/record.ts';

/** @param standard what is meant by an answer without a word, as a sentence */
export const messageOr = (standard: string) =>
  string('What the service said.', { derive: ({ message }) => message ?? standard });
