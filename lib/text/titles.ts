/** Puts a title such as `Red-Team Scans` into a sentence: `3 red-team scans`, `1 red-team scan`, `1 attack of the scan`. */
export function titleInSentence(title: string, count: number): string {
  const words = title.split(' ').map((word) => (/^[A-Z]{2,}/.test(word) ? word : word.toLowerCase()));
  if (count === 1) {
    const at = nounIn(words);
    words[at] = singular(words[at] ?? '');
  }
  return words.join(' ');
}

/** Finds the word that is counted: `errors` of the scan, `devices` created, network `channels`. */
function nounIn(words: readonly string[]): number {
  const end = words.findIndex((word) => /^(?:of|by|in)$/.test(word));
  const head = end < 0 ? words : words.slice(0, end);
  const fromEnd = [...head].reverse().findIndex((word) => /[^s]s$/.test(word));
  return fromEnd < 0 ? words.length - 1 : head.length - 1 - fromEnd;
}

function singular(word: string): string {
  if (/ies$/.test(word)) return word.replace(/ies$/, 'y');
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}
