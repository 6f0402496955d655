/** Returns the names of the arguments that may be given in place of a required one. */
export function alternativesOf({ unless }: { readonly unless?: string | readonly string[] }): readonly string[] {
  return unless === undefined ? [] : typeof unless === 'string' ? [unless] : unless;
}
