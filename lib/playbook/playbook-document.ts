/** Parses the text of a playbook. */
import { type ReadDocument, readDocument } from '../documents/read-document.ts';

/** @throws UsageError for syntax errors, or a document that is not a mapping */
export function readPlaybookDocument(text: string, name: string): Promise<ReadDocument> {
  const contents = 'A playbook holds name, starttaskid and tasks.';
  // The platform reads YAML 1.1.
  return readDocument(text, name, { noun: 'playbook', contents, yaml: '1.1' });
}
