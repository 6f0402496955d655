/** Redaction of large texts and of many secrets. */
import { redaction, secretForms } from '../../../lib/core/redaction/redact.ts';
import { expectProportion } from '../../support/growth.ts';

describe('redaction', () => {
  const { text } = redaction({ secrets: ['canary/5ecret+"x"\n', 'canary'] });

  test.each([
    { what: 'letters', value: 'x'.repeat(6_000_000) },
    { what: 'escapes', value: '\\n'.repeat(3_000_000) },
    { what: 'escaped quotes, and no end', value: '\\"'.repeat(3_000_000), end: '' },
  ])('masks a secret member of millions of $what', ({ value: long, end = '"' }) => {
    expect(text(`x {"token":"${long}${end}`)).toBe(`x {"token":"***${end}`);
  });

  test('finds the forms of ten thousand secrets in linear time', async () => {
    await expectProportion((size) => {
      const secrets = Array.from({ length: size / 8 }, (_, index) => `secret-number-${index}`);
      return () => secretForms(secrets);
    });
  });

  test('takes linear time', async () => {
    await expectProportion((size) => {
      const given = ['Bearer ', '://', 'eyJ', '@:/'].map((part) => part.repeat(size)).join('');
      return () => text(given);
    });
  });
});
