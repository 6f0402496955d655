/** Evidence of scans: only a complete verdict allows. */
import type { JsonObject } from '../../../lib/core/json.ts';
import { type Case, decides, setting } from './evidence.ts';

const SCAN = /\/v1\/scan\/sync/;
const harmless = { profile_name: 'prod', prompt: 'What is the weather?' };
const scanned = (what: string, members: JsonObject): Case => ({
  what,
  patch: setting(SCAN, members),
  branch: 'No verdict',
});
decides('scan-prompt', harmless, 'block', [
  scanned('no detector that ran', { prompt_detected: null, response_detected: null }),
  scanned('a time-out of null', { timeout: null }),
  scanned('a time-out', { timeout: true }),
  scanned('a time-out as text', { timeout: 'true' }),
  scanned('errors', { errors: [{ content_type: 'prompt', feature: 'dlp', status: 'error' }] }),
  scanned('errors that are no list', { errors: 'none' }),
  scanned('an error of null', { error: null }),
  scanned('a failed detector', { error: true }),
  scanned('the category error', { category: 'error' }),
  scanned('no category', { category: null }),
  scanned('an action with a space', { action: 'ALLOW ' }),
  scanned('no action', { action: null }),
  { ...scanned('a refusal in capitals', { action: 'BLOCK' }), branch: 'Block' },
  { ...scanned('a refusal in another word', { action: 'deny' }), branch: 'Block' },
  {
    ...scanned('a refusal of a scan with errors', { action: 'blocked', errors: [{}], timeout: true }),
    branch: 'Block',
  },
]);

const bulk = { profile_name: 'prod', entry_id: 'prompts.csv' };
const files = { 'prompts.csv': 'prompt\nhello\ngood day' };
/** Changes the answer about the second row. */
const rows = (what: string, members: JsonObject, branch = 'Not every prompt has a complete verdict'): Case => ({
  what,
  circumstances: { files },
  branch,
  patch: (body, { url, body: sent = '' }) => {
    if (SCAN.test(url) && sent.includes('good day')) Object.assign(body, members);
  },
});
decides('bulk-scan-file', bulk, 'block', [
  rows('a row that timed out', { timeout: true }),
  rows('a row with a time-out of null', { timeout: null }),
  rows('a row with errors', { errors: [{ feature: 'dlp' }] }),
  rows('a row with the category error', { category: 'error' }),
  rows('a row in which nothing was detected', { prompt_detected: null, response_detected: null }),
  rows('a row whose action is no verdict', { action: 'alert' }),
  rows('a refused row', { action: 'DENY' }, 'Blocked'),
  ...[' ', '\t', '[" "]'].map((entry_id) => ({
    what: `the file ${JSON.stringify(entry_id)}`,
    inputs: { entry_id },
    circumstances: { files },
    branch: 'Not scanned',
  })),
  {
    what: 'a file without prompts',
    circumstances: { files: { 'prompts.csv': 'prompt\n' } },
    branch: 'Not scanned',
  },
  {
    what: 'a list of two files as text',
    inputs: { entry_id: '["prompts.csv","others.csv"]' },
    circumstances: { files },
    branch: 'Not scanned',
  },
  {
    what: 'a list of one file as text',
    inputs: { entry_id: '["prompts.csv"]' },
    circumstances: { files },
    branch: 'Allowed',
    verdict: 'allow',
  },
  ...[['prompts.csv'], { EntryID: ['prompts.csv'] }, [{ EntryID: 'prompts.csv' }]].map((value, index) => ({
    what: `a filtered list of one file, form ${index}`,
    inputs: { entry_id: '' },
    circumstances: { files, context: { File: Array.isArray(value) && index === 0 ? { EntryID: value } : value } },
    branch: 'Allowed',
    verdict: 'allow',
  })),
]);
