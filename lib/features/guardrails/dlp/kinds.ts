/** Kinds in the order in which they are made, because the later ones refer to the earlier ones. */
export const DLP_KINDS = ['dictionary', 'pattern', 'data profile', 'filtering profile'] as const;
export type DlpKind = (typeof DLP_KINDS)[number];
