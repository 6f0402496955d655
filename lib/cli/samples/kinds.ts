/** Kinds of samples, with what they are for. */
export const KINDS: Readonly<Record<string, string>> = {
  dlp: 'Files with test cards, IBANs, keys, telephone numbers and addresses, to try DLP.',
};
