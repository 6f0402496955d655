/** Playbooks decide by evidence: hostile answers permit nothing. */
import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject } from '../../../lib/core/json.ts';
import { readPlaybookDocument } from '../../../lib/playbook/read-playbook.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { type Circumstances, type Rehearsal, rehearse } from './rehearsal.ts';

const FOLDER = new URL('../../../lib/manifest/assets/playbooks', import.meta.url).pathname;
export const NAMES = readdirSync(FOLDER).map((name) => name.replace(/\.yml$/, ''));
export const documentOf = async (name: string) =>
  (await readPlaybookDocument(readFileSync(`${FOLDER}/${name}.yml`, 'utf8'), name)).value;

export type Patch = NonNullable<Circumstances['patch']>;
export type Body = Record<string, unknown>;
export interface Case {
  readonly what: string;
  readonly inputs?: Record<string, string>;
  readonly circumstances?: Circumstances;
  readonly patch?: Patch;
  readonly branch: string;
  readonly verdict?: string;
}

/** Changes the responses whose address fits. */
export const at =
  (address: RegExp, change: (body: Body) => void): Patch =>
  (body, { url }) => {
    if (address.test(url)) change(body);
  };
export const setting = (address: RegExp, members: JsonObject) =>
  at(address, (body) => void Object.assign(body, members));

export const decisionOf = ({ outputs, steps }: Rehearsal) => ({
  branch: steps.flatMap(({ task }) => (task.kind === 'title' ? [task.name] : []))[0] ?? 'none',
  verdict: outputs['AiSec.Decision.verdict'],
});

/** Rehearses a playbook with hostile answers. @param verdict of every case that names no other */
export function decides(name: string, inputs: Record<string, string>, verdict: string, cases: readonly Case[]): void {
  scenario.each([...cases])('playbook-decision', `${name} decides without evidence: $what`, async (given) => {
    const circumstances = { ...given.circumstances, ...(given.patch === undefined ? {} : { patch: given.patch }) };
    const run = await rehearse(await documentOf(name), { ...inputs, ...given.inputs }, circumstances);
    expect(decisionOf(run)).toEqual({ branch: given.branch, verdict: given.verdict ?? verdict });
    expect(run.outputs['AiSec.Decision.reason']).toMatch(/^[A-Z0-9].*\.$/);
    expect(run.outputs['AiSec.Decision.reason']).not.toMatch(/\$\{|undefined|null| {2}/);
  });
}
