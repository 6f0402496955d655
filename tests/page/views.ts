/** Every view of the page, in a room with many lines. */
import type { Page } from 'playwright-core';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { exchange } from '../hosts/http/support.ts';
import { type Served, settled } from './support.ts';

const { jobs } = RED_TEAM_IDS;

/** Opens a room, and runs lines in it. @returns the id of the room */
export async function roomWith(server: Served, lines: readonly string[]): Promise<string> {
  const send = (path: string, body: unknown) =>
    exchange(new URL(path, server.url), { method: 'POST', body, token: server.token });
  const { json } = await send('/v1/sessions', {});
  for (const line of lines) await send(`/v1/sessions/${json.id}/lines`, { line });
  return String(json.id);
}

/** Addresses of the views after `#/`. */
export function viewsOf(room: string): string[] {
  return [
    ...['', `room/${room}`, `room/${room}/1`, 'jobs', 'playbooks', 'playbooks/scan-prompt', 'guard'],
    ...[`reports/${jobs.static}`, `compare/${jobs.earlierStatic}/${jobs.static}`, 'nowhere'],
  ];
}

/** Opens a view of the page, and waits until it is drawn. */
export async function goTo(page: Page, view: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
  await settled(page);
}

/** The field of the line. */
export function lineOf(page: Page) {
  return page.getByRole('region', { name: 'Line' }).getByRole('textbox', { name: 'Line' });
}

/** Types a line, and runs it. */
export async function runLine(page: Page, line: string): Promise<void> {
  await lineOf(page).fill(line);
  await lineOf(page).press('Control+Enter');
}

/** The entries of the room that are drawn. */
export function entriesOf(page: Page) {
  return page.getByRole('article');
}
