/** Makes the page of a tenant for a room in the browser. */
import type { Collection, TenantTitle } from '../../client/report-pages.ts';
import { collectDashboard } from './collect.ts';
import { dashboardPage, roomLink } from './page.ts';

/** Makes the page, whose links lead to reports in the room. @throws AisecError of any kind if no part can be read */
export async function tenantPage(title: TenantTitle, { run, ...more }: Collection): Promise<string> {
  return dashboardPage(await collectDashboard(run, { ...more, ...title }), roomLink);
}
