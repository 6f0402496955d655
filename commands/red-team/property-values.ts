/** Reads the values of several properties in one request, then the values of missing properties one by one. */

import { isOwn } from '../../lib/core/text/own.ts';
import {
  type Api,
  type JsonObject,
  NotFoundError,
  objectOf,
  path,
  redTeamManagement,
} from '../../lib/runtime/engine/declare.ts';

/** Path of property values. */
export const values = path`/v1/custom-attack/property-values`;

export interface Found {
  /** Records in the requested order. */
  readonly records: readonly JsonObject[];
  /** Unknown names. */
  readonly missing: readonly string[];
}

/**
 * Reads the values of each distinct property.
 * @throws NotFoundError if the service knows no name
 */
export async function valuesOf(api: Api, names: readonly string[]): Promise<Found> {
  const wanted = names.filter((name, at) => names.indexOf(name) === at);
  const together = await unlessMissing(atOnce(api, wanted));
  const byName = together instanceof NotFoundError ? {} : objectOf(together['data']);
  const records: JsonObject[] = [];
  const missing: string[] = [];
  let refusal: NotFoundError | undefined;
  for (const name of wanted) {
    const found = isOwn(byName, name) ? { values: byName[name] } : await unlessMissing(alone(api, name));
    if (found instanceof NotFoundError) {
      missing.push(name);
      refusal = found;
    } else records.push({ ...found, name });
  }
  if (records.length === 0 && refusal !== undefined) throw refusal;
  return { records, missing };
}

/**
 * Sends all names in one parameter, because the service reads only the last of several parameters. Omits names that
 * contain a comma.
 */
async function atOnce(api: Api, names: readonly string[]): Promise<JsonObject> {
  const joined = names.filter((name) => name.indexOf(',') < 0);
  if (joined.length < 2) return {};
  return api.fetch(redTeamManagement.get(values, { property_names: joined.join(',') }));
}

function alone(api: Api, name: string): Promise<JsonObject> {
  return api.fetch(redTeamManagement.get(path`/v1/custom-attack/property-values/${name}`));
}

function unlessMissing(answer: Promise<JsonObject>): Promise<JsonObject | NotFoundError> {
  return answer.catch((thrown: unknown) => {
    if (thrown instanceof NotFoundError) return thrown;
    throw thrown;
  });
}
