/** Suggests the nearest known word. */

/**
 * Finds the choice nearest to a word.
 * @returns undefined if no choice is near enough
 */
export function suggest(word: string, choices: readonly string[]): string | undefined {
  const target = word.slice(0, 100).toLowerCase();
  let best: { choice: string; distance: number } | undefined;
  for (const choice of choices) {
    const candidate = choice.toLowerCase();
    const distance = editDistance(target, candidate);
    if (distance <= Math.max(1, Math.floor(candidate.length / 3)) && distance < (best?.distance ?? Infinity)) {
      best = { choice, distance };
    }
  }
  if (best !== undefined || target.length <= 2) return best?.choice;
  const parts = choices.filter((choice) => isPart(target, choice.toLowerCase()));
  return parts.filter((part) => parts.every((other) => part.length <= other.length))[0];
}

/**
 * Matches whole words at the start or end: `profile` of `profile_name`, `topics-list` of
 * `aisec-runtime-topics-list`.
 */
function isPart(target: string, choice: string): boolean {
  return [`${target}-`, `${target}_`].some((part) => choice.startsWith(part)) || choice.endsWith(`-${target}`);
}

/**
 * Finds the commands with this noun: `targets` is the noun of `redteam-targets-list`. Lists come first.
 * @param names in the form `family-noun-verb`
 * @returns the lists of the noun, if there are any; else the names that contain the word
 */
export function aboutNoun(word: string, names: readonly string[]): string[] {
  const singular = (text: string) => text.replace(/s$/, '');
  const wanted = singular(word.toLowerCase().replace(/_/g, '-'));
  if (wanted.length < 3) return [];
  const about = names.filter((name) => `-${name}-`.replace(/s-/g, '-').includes(`-${wanted}-`));
  const lists = about.filter(
    (name) => singular(name.replace(/-list$/, '')).endsWith(`-${wanted}`) && name.endsWith('-list'),
  );
  return lists.length > 0 ? lists : about;
}

/** Returns the suggestion as a sentence; undefined without a near choice. */
export function didYouMean(word: string, choices: readonly string[], prefix = ''): string | undefined {
  const choice = suggest(word, choices);
  return choice === undefined ? undefined : `Did you mean "${prefix}${choice}"?`;
}

/** Counts letters added, removed, replaced, or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a.charAt(i - 1) === b.charAt(j - 1) ? 0 : 1);
      const swapped = a.charAt(i - 1) === b.charAt(j - 2) && a.charAt(i - 2) === b.charAt(j - 1) && i > 1 && j > 1;
      const best = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced);
      next.push(swapped ? Math.min(best, (before[j - 2] ?? 0) + 1) : best);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
