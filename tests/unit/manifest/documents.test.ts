/** The schemas of documents, as editors read them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { DOCUMENT_SCHEMAS } from '../../../scripts/documents.ts';
import { ROOT } from '../../support/program.ts';

const names = Object.keys(DOCUMENT_SCHEMAS);

describe.each(names)('the schema of a %s file', (name) => {
  const path = `catalogue/${name}.schema.json`;
  const schema = JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

  test('is valid, has only standard keywords, and describes every member', () => {
    new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
    const bare: string[] = [];
    const visit = (value: Record<string, unknown>, at: string) => {
      if (typeof value['description'] !== 'string') bare.push(at);
      for (const [member, inner] of Object.entries((value['properties'] ?? {}) as Record<string, never>))
        visit(inner, `${at}.${member}`);
    };
    visit(schema, name);
    expect(bare).toEqual([]);
  });

  test('is in the package, and can be imported by its name', () => {
    const { exports, files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(files).toContain(path);
    expect(exports[`./${name}.schema.json`]).toBe(`./${path}`);
  });
});
