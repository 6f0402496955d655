/** Ranges of Node versions, as packages state them in `engines`. */

type Version = readonly number[];

/** Reports whether a range such as `^20.17.0 || >=22.9.0` has a version. An unreadable range has none. */
export function supports(range: string, version: string): boolean {
  const wanted = numbersIn(version);
  return range.split('||').some((part) => comparatorsIn(part).every((comparator) => holds(comparator, wanted)));
}

/** Joins operators with their version: `>= 10` is one comparator. */
function comparatorsIn(part: string): string[] {
  return part
    .trim()
    .replace(/([<>=^~])\s+/g, '$1')
    .split(/\s+/);
}

function holds(comparator: string, wanted: Version): boolean {
  const [, operator = '', text = ''] = /^([<>]=?|[=^~])?v?([\d.xX*]*)$/.exec(comparator) ?? [undefined, '?'];
  const stated = numbersIn(text);
  const order = compare(wanted, stated);
  switch (operator) {
    case '>=':
      return order >= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '^':
      return order >= 0 && wanted[0] === stated[0];
    case '~':
      return order >= 0 && startsWith(wanted, stated.slice(0, 2));
    case '':
    case '=':
      return startsWith(wanted, stated);
    default:
      return false;
  }
}

/** Reads the numbers before the first wildcard. */
function numbersIn(text: string): Version {
  const [known = ''] = text.split(/[xX*]/);
  return known.split('.').flatMap((part) => (part === '' ? [] : [Number(part)]));
}

function compare(one: Version, other: Version): number {
  const at = [0, 1, 2].find((index) => (one[index] ?? 0) !== (other[index] ?? 0));
  return at === undefined ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

function startsWith(version: Version, start: Version): boolean {
  return start.every((part, at) => part === version[at]);
}
