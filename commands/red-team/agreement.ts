/** Hint for a 403 response to a request about a target. */
export const AGREEMENT = {
  403: 'Check with !aisec-redteam-eula-status whether the licence agreement is accepted; if it is, ask the tenant to give the API client a role that permits this.',
} as const;
