/** Takes facts about the machine out of errors that leave it: a caller must not learn its paths, processes or hosts. */

const PROCESS = /process \d+ on [^\s,]*[^\s,.](?: in another container)?/g;
const REDIS = /Redis at \S+/g;
/** The folders of an absolute path, but no address of the service. Callers' own words are in quotes, and stay. */
const PATH = /(^|[\s(=])(?!\/v\d+\/)(?:\/[^\s/"'(),;]+)+\/(?=[^\s/"'(),;])/g;

/** Returns the text without processes and hosts, and with the names of files in place of their paths. */
export function withoutMachine(text: string): string {
  return text.replace(PROCESS, 'another process').replace(REDIS, 'Redis').replace(PATH, '$1');
}
