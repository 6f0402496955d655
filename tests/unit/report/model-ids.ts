/** Model scans of the simulated tenant, by outcome. */
export const MODEL_SECURITY_IDS = {
  allowed: 'ac61d8f3-057e-4b2c-9048-3fe7b5a91d60',
  blocked: '5e9a3c07-d1b4-4f68-82c5-b7064e2f9d1a',
  failed: 'e8165f2b-c7d0-493e-8ba1-42c9f60d7e35',
} as const;
