/** Hint for a 403 of requests that work on a target. */
export const AGREEMENT = {
  403: 'See with !aisec-redteam-eula-status whether the licence agreement is accepted; if it is, ask the tenant for a role that permits this to the API client.',
} as const;
