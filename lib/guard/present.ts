/** Members of an object that are set. */
export type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Leaves out what is not set. */
export function present<Members extends object>(members: Members): Present<Members> {
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Present<Members>;
}
