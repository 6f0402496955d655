/** Names the risks of the OWASP Top 10 for LLM applications in both editions: that of 2026 renumbered them. */

/** Numbers in 2026, by those in 2025. */
const NUMBERS: Readonly<Record<string, string>> = {
  '01': '01',
  '02': '02',
  '03': '04',
  '04': '05',
  '05': '10',
  '06': '03',
  '07': '08',
  '08': '09',
  '09': '07',
  '10': '06',
};

/** Writes `LLM05:2025` as `LLM05:2025, LLM10:2026`; nothing for an id that does not name its edition. */
export function bothEditions(id: string | undefined): string | undefined {
  const [, number, year] = /^LLM(\d\d):(2025|2026)$/.exec(id ?? '') ?? [];
  const pair = Object.entries(NUMBERS).find((numbers) => numbers[year === '2025' ? 0 : 1] === number);
  return pair === undefined ? undefined : `LLM${pair[0]}:2025, LLM${pair[1]}:2026`;
}
