/** Puts values of the context into a word of a subcommand: `explain ${AiSec.RuntimeScan.scan_id}`. */
import { resolveReferences } from '../../../arguments/references.ts';
import { UsageError } from '../../../core/errors.ts';
import { asText } from '../../../core/json.ts';

/** Replaces the references of a word. @throws UsageError for a reference without a value, or with several */
export function wordWithValues(word: string, context: unknown): string {
  if (!word.includes('${')) return word;
  const value = resolveReferences(word, context, (reference) => {
    throw new UsageError(`The context has no value at "${reference.slice(0, 60)}".`, {
      hint: 'See all of it with: context',
    });
  });
  const values = [value].flat();
  if (values.length === 1) return asText(values[0]);
  throw new UsageError(`${word.slice(0, 60)} has ${values.length} values, and this needs one.`, {
    hint: 'Choose a record, such as ${AiSec.RuntimeScan.[0].scan_id}.',
  });
}
