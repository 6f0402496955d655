/** Reports whether a word names the JSONL of a bulk scan rather than the id of a scan. */
export function isBulkFile(word: string): boolean {
  return word === '-' || /\.(?:jsonl|ndjson)$/i.test(word);
}
