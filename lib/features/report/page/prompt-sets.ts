/** Renders the prompt sets of a custom scan and the properties of their prompts. */
import { type JsonObject, objectsOf } from '../../../engine/json.ts';
import type { ReportData } from '../model.ts';
import { type Bar, bars } from './charts.ts';
import { type Html, html } from './escape.ts';
import { figure, name, numberOf, share } from './format.ts';
import { panel } from './parts.ts';

const MAX_ROWS = 50;

/** Renders the panels that have data. */
export function promptSetPanels({ promptSets, properties }: ReportData): readonly Html[] {
  const sets = promptSets.map(setBar).sort(byRate);
  return [
    ...(sets.length === 0
      ? []
      : [
          panel(
            'prompt-sets',
            'Success rate by prompt set',
            html`${bars('Success rate', sets.slice(0, MAX_ROWS))}${cut(sets)}`,
          ),
        ]),
    ...(properties.length === 0
      ? []
      : [panel('properties', 'Success rate by property', html`${properties.slice(0, MAX_ROWS).map(group)}`)]),
  ];
}

function setBar(set: JsonObject): Bar {
  const [hit, total] = [numberOf(set['total_threats']), numberOf(set['total_attacks'])];
  return barOf(set['prompt_set_name'] ?? set['prompt_set_id'], hit, total, numberOf(set['threat_rate']));
}

function group(property: JsonObject): Html {
  const values = objectsOf(property['values']).map((value) =>
    barOf(
      value['value'],
      numberOf(value['successful_attack_count']),
      numberOf(value['total_attack_count']),
      numberOf(value['success_rate']),
    ),
  );
  const rows = values.sort(byRate);
  return html`<section class="group"><h3>${name(property['property_name'])}</h3>${bars('Success rate', rows.slice(0, MAX_ROWS))}${cut(rows)}</section>`;
}

function barOf(shown: unknown, hit: number | undefined, total: number | undefined, rate: number | undefined): Bar {
  const counts = hit === undefined || total === undefined ? undefined : `${figure(hit)} of ${figure(total)}`;
  return { name: name(shown), rate: rate ?? share(hit, total), counts };
}

function byRate(a: Bar, b: Bar): number {
  return (b.rate ?? -1) - (a.rate ?? -1);
}

function cut(rows: readonly Bar[]): Html | undefined {
  return rows.length > MAX_ROWS ? html`<p class="small">${MAX_ROWS} of ${rows.length} are shown.</p>` : undefined;
}
