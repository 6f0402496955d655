/** The groups of commands, by prefix, with the common commands of each. */
import { definitions, type Page } from '../render/wrap.ts';

export const GROUPS: readonly { readonly title: string; readonly commands: readonly string[] }[] = [
  { title: 'scan', commands: ['runtime-scan', 'runtime-bulk-scan'] },
  { title: 'guardrails', commands: ['runtime-profiles-list', 'runtime-topics-apply'] },
  { title: 'red team', commands: ['redteam-targets-list', 'redteam-scan-create', 'redteam-report-get'] },
  { title: 'model security', commands: ['model-security-scans-create', 'model-security-scans-list'] },
];

/** Lists the groups. */
export function groupLines(page: Page): string[] {
  const pairs = GROUPS.map(({ title, commands }) => [title, commands.join(', ')] as const);
  return definitions(pairs, page);
}
