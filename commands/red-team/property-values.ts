/** The values of several properties: asked for at once, and one by one where the answer lacks some. */
import { type Api, type JsonObject, NotFoundError, objectOf, path, redTeamManagement } from '../../lib/declare.ts';
import { isOwn } from '../../lib/text/own.ts';

/** Where values are. */
export const values = path`/v1/custom-attack/property-values`;

export interface Found {
  /** In the order in which they were asked for. */
  readonly records: readonly JsonObject[];
  /** Names that the service does not know. */
  readonly missing: readonly string[];
}

/**
 * Reads the values of each property once, however often it is named.
 * @throws NotFoundError when the service knows none of the names
 */
export async function valuesOf(api: Api, names: readonly string[]): Promise<Found> {
  const wanted = names.filter((name, at) => names.indexOf(name) === at);
  const together = await unlessMissing(atOnce(api, wanted));
  const told = together instanceof NotFoundError ? {} : objectOf(together['data']);
  const records: JsonObject[] = [];
  const missing: string[] = [];
  let refusal: NotFoundError | undefined;
  for (const name of wanted) {
    const found = isOwn(told, name) ? { values: told[name] } : await unlessMissing(alone(api, name));
    if (found instanceof NotFoundError) {
      missing.push(name);
      refusal = found;
    } else records.push({ ...found, name });
  }
  if (records.length === 0 && refusal !== undefined) throw refusal;
  return { records, missing };
}

/** One value holds all names: of a parameter that is repeated the service reads the last. A comma in a name would part it. */
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
