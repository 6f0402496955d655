/**
 * Sample files for DLP: data that looks sensitive, and belongs to no person. Cards are test numbers of the card schemes, IBANs
 * the examples of their registry, keys the examples of the vendor's manual, telephone numbers those of ranges for fiction.
 */

/** One kind of sensitive data. */
interface Kind {
  /** Name in the index. */
  readonly kind: string;
  /** Name of the pattern that should find it. */
  readonly pattern: string;
  readonly values: readonly string[];
}

const CARDS = ['4111 1111 1111 1111', '5555-5555-5555-4444', '378282246310005', '6011111111111117'] as const;
const IBANS = ['GB82 WEST 1234 5698 7654 32', 'DE89 3704 0044 0532 0130 00', 'FR1420041010050500013M02606'] as const;
const KEY_ID = 'AKIAIOSFODNN7EXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const PHONES = ['+1 202-555-0143', '202-555-0178', '07700 900123'] as const;
const ADDRESSES = ['12 Example Street', '34 Example Road', '5 Example Lane'] as const;

const KINDS: readonly Kind[] = [
  { kind: 'card', pattern: 'Credit Card Number', values: CARDS },
  { kind: 'iban', pattern: 'IBAN', values: IBANS },
  { kind: 'key', pattern: 'AWS Access Key', values: [KEY_ID] },
  { kind: 'secret', pattern: 'AWS Secret Key', values: [SECRET] },
  { kind: 'phone', pattern: 'Phone Number', values: PHONES },
  { kind: 'address', pattern: 'Postal Address', values: ADDRESSES },
];

/** A file to write. */
export interface SampleFile {
  readonly name: string;
  readonly text: string;
}

/** Content of a file, and the expected findings. */
export interface Entry {
  readonly file: string;
  /** The file has something to find. */
  readonly dlp: boolean;
  readonly findings: readonly { readonly kind: string; readonly pattern: string; readonly count: number }[];
}

const FILES: readonly SampleFile[] = [
  {
    name: 'payment.txt',
    text: `Please charge my card ${CARDS[0]}, or ${CARDS[1]} if that fails.
The company card is ${CARDS[2]}.
`,
  },
  {
    name: 'customers.csv',
    text: `name,card,iban,phone,address
Ada Example,${CARDS[0]},${IBANS[0]},${PHONES[0]},${ADDRESSES[0]}
Bo Example,${CARDS[3]},${IBANS[2]},${PHONES[2]},${ADDRESSES[1]}
`,
  },
  {
    name: 'settings.json',
    text: `${JSON.stringify({ region: 'eu-west-1', aws_access_key_id: KEY_ID, aws_secret_access_key: SECRET }, null, 2)}\n`,
  },
  {
    name: 'contract.md',
    text: `# Transfer

- Account: ${IBANS[1]}
- Questions: ${PHONES[1]}
- Letters: ${ADDRESSES[2]}
`,
  },
  {
    // Each line comes near to a pattern.
    name: 'clean.txt',
    text: `Order 4111 1111 1111 1112 was shipped on 2026-01-31.
Reference GB83 WEST 1234 5698 7654 32, batch AKIA-2026.
Build 0123456789abcdef0123456789abcdef01234567 passed in 12 s.
`,
  },
];

export const INDEX = 'index.json';

/** Describes the files. */
export function indexOf(files: readonly SampleFile[]): readonly Entry[] {
  return files.map(({ name, text }) => {
    const findings = KINDS.flatMap(({ kind, pattern, values }) => {
      const count = values.reduce((sum, value) => sum + text.split(value).length - 1, 0);
      return count === 0 ? [] : [{ kind, pattern, count }];
    });
    return { file: name, dlp: findings.length > 0, findings };
  });
}

/** Returns the files with their index. */
export function dlpSamples(): { readonly files: readonly SampleFile[]; readonly index: readonly Entry[] } {
  const index = indexOf(FILES);
  const document = {
    about: 'Harmless data in the form of sensitive data: test cards, registry examples, ranges for fiction.',
    files: index,
  };
  return { files: [...FILES, { name: INDEX, text: `${JSON.stringify(document, null, 2)}\n` }], index };
}
