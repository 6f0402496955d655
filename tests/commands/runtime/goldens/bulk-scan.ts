import { HOSTS } from '../../../support/scripted.ts';
import type { Golden } from '../../goldens.ts';

const command = 'aisec-runtime-bulk-scan';
const SYNC = `POST ${HOSTS.scanner}/v1/scan/sync/request`;
const ASYNC = `POST ${HOSTS.scanner}/v1/scan/async/request`;
const RESULTS = `GET ${HOSTS.scanner}/v1/scan/results`;

const key = ['profile_name', 'session_id'];

const ai_profile = { profile_name: 'prod' };
const PROFILE_ID = '7c1e4a52-3f0b-4d86-9a17-5b2c8e60d431';
const SCAN = '5d0c1a7e-9f3b-4c62-8a1d-2e7b6f409c35';
const OTHER = '2b9e6c14-70ad-4f58-8c3e-91d5a7b0f264';

const verdict = {
  action: 'allow',
  category: 'benign',
  timeout: false,
  error: false,
  errors: [],
  prompt_detected: { injection: false, dlp: false },
};

/** Creates the response for one prompt of a batch. */
const answered = (row: number, more: object = {}) => ({
  req_id: row,
  scan_id: SCAN,
  status: 'complete',
  source: 'AI-Runtime-API',
  result: { ...verdict, scan_id: SCAN, report_id: `R${SCAN}`, profile_id: PROFILE_ID, session_id: 's-7', ...more },
});

/** Creates the row that is kept. */
const kept = (row: number, prompt: string, more: object = {}) => ({
  row,
  prompt,
  ...verdict,
  detected: false,
  decision: 'allow',
  status: 'complete',
  scan_id: SCAN,
  report_id: `R${SCAN}`,
  session_id: 's-7',
  profile_id: PROFILE_ID,
  ...more,
});

const blocked = { action: 'block', category: 'malicious', prompt_detected: { injection: true, dlp: false } };
const PROMPTS = Array.from({ length: 10 }, (_, index) => `question, number ${index + 1}`);
const request = (prompt: string) => ({ session_id: 's-7', ai_profile, contents: [{ prompt }] });

export const goldens: readonly Golden[] = [
  {
    command,
    key,
    what: 'two prompts, one by one',
    args: 'profile_name=prod prompts_csv=`id,Prompt\n1,"hello, you"\n2,bye\n`',
    script: [
      {
        request: SYNC,
        body: { ai_profile, contents: [{ prompt: 'hello, you' }] },
        answer: { ...verdict, scan_id: SCAN, report_id: `R${SCAN}`, session_id: 'gen_1', profile_id: PROFILE_ID },
      },
      {
        request: SYNC,
        body: { ai_profile, contents: [{ prompt: 'bye' }] },
        answer: { action: 'block', category: 'malicious', timeout: true, scan_id: OTHER },
      },
    ],
    value: {
      profile_name: 'prod',
      session_id: null,
      total: 2,
      blocked: 1,
      allowed: 1,
      errors: 0,
      decision: 'block',
      results: [
        kept(1, 'hello, you', { session_id: 'gen_1' }),
        {
          row: 2,
          prompt: 'bye',
          action: 'block',
          category: 'malicious',
          detected: false,
          prompt_detected: null,
          timeout: true,
          error: null,
          errors: null,
          decision: 'block',
          status: 'complete',
          scan_id: OTHER,
          report_id: null,
          session_id: null,
          profile_id: null,
        },
      ],
    },
  },
  {
    command,
    key,
    what: 'ten prompts, in one batch',
    args: `profile_name=prod session_id=s-7 prompts_csv=\`${PROMPTS.join('\n')}\``,
    script: [
      {
        request: ASYNC,
        body: PROMPTS.map((prompt, index) => ({ req_id: index + 1, scan_req: request(prompt) })),
        answer: { received: '2026-11-21T12:00:00Z', scan_id: SCAN, report_id: `R${SCAN}` },
      },
      {
        request: `${RESULTS}?scan_ids=${SCAN}`,
        answer: [answered(10), answered(3, blocked), { req_id: 1, scan_id: SCAN, status: 'pending' }],
      },
      {
        request: `${RESULTS}?scan_ids=${SCAN}`,
        answer: PROMPTS.map((_, index) => answered(index + 1, index === 2 ? blocked : {})),
      },
    ],
    value: {
      profile_name: 'prod',
      session_id: 's-7',
      total: 10,
      blocked: 1,
      allowed: 9,
      errors: 0,
      decision: 'block',
      results: PROMPTS.map((prompt, index) =>
        kept(index + 1, prompt, index === 2 ? { ...blocked, decision: 'block', detected: true } : {}),
      ),
    },
  },
];
