/** What a 403 may mean wherever the service works on a target. */
export const AGREEMENT = {
  403: 'See with !aisec-redteam-eula-status whether the licence agreement is accepted; if it is, ask the tenant for a role that permits this to the API client.',
} as const;
