/** Puts a title such as `Red-Team Scans` into a sentence: `3 red-team scans`, `1 red-team scan`, `1 attack of the scan`. */
export function titleInSentence(title: string, count: number): string {
  const words = title.split(' ').map((word) => (/^[A-Z]{2,}/.test(word) ? word : word.toLowerCase()));
  const qualifier = words.indexOf('of');
  const noun = (qualifier > 0 ? qualifier : words.length) - 1;
  if (count === 1) words[noun] = singular(words[noun] ?? '');
  return words.join(' ');
}

function singular(word: string): string {
  if (/ies$/.test(word)) return word.replace(/ies$/, 'y');
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}
