import { HOSTS } from '../../../support/scripted.ts';
import type { Golden } from '../golden.ts';

const command = 'aisec-runtime-scan';
const request = `POST ${HOSTS.scanner}/v1/scan/sync/request`;

export const keys = { [command]: ['scan_id'] };

const identity = {
  scan_id: '5d0c1a7e-9f3b-4c62-8a1d-2e7b6f409c35',
  report_id: 'R5d0c1a7e-9f3b-4c62-8a1d-2e7b6f409c35',
  profile_id: '7c1e4a52-3f0b-4d86-9a17-5b2c8e60d431',
  profile_name: 'prod',
  source: 'AI-Runtime-API',
};

export const goldens: readonly Golden[] = [
  {
    command,
    what: 'a prompt alone',
    args: 'profile_name=prod prompt="Good morning"',
    script: [
      {
        request,
        body: { ai_profile: { profile_name: 'prod' }, contents: [{ prompt: 'Good morning' }] },
        answer: {
          ...identity,
          tr_id: 'gen_1',
          session_id: 'gen_1',
          action: 'allow',
          category: 'benign',
          timeout: false,
          error: false,
          errors: [],
          prompt_detected: { injection: false, dlp: false },
          response_detected: {},
          created_at: '2026-11-21T12:00:00Z',
          completed_at: '2026-11-21T12:00:01Z',
        },
      },
    ],
    value: {
      ...identity,
      tr_id: 'gen_1',
      session_id: 'gen_1',
      prompt: 'Good morning',
      response: null,
      action: 'allow',
      decision: 'allow',
      category: 'benign',
      detected: false,
      prompt_detected: { injection: false, dlp: false },
      response_detected: {},
      timeout: false,
      error: false,
      errors: [],
      created_at: '2026-11-21T12:00:00Z',
      completed_at: '2026-11-21T12:00:01Z',
    },
  },
  {
    command,
    what: 'every argument',
    args: [
      'profile_name=prod prompt="a | b" response="c\\nd" tr_id=t-1 session_id=s-1 app_name=chat app_user=u7 ai_model=m1',
      'user_ip=192.0.2.7 agent_id=ag-1 agent_version=0.9 agent_arn=arn:x:1',
    ].join(' '),
    script: [
      {
        request,
        body: {
          tr_id: 't-1',
          session_id: 's-1',
          ai_profile: { profile_name: 'prod' },
          metadata: {
            app_name: 'chat',
            app_user: 'u7',
            ai_model: 'm1',
            user_ip: '192.0.2.7',
            agent_meta: { agent_id: 'ag-1', agent_version: '0.9', agent_arn: 'arn:x:1' },
          },
          contents: [{ prompt: 'a | b', response: 'c\nd' }],
        },
        answer: {
          ...identity,
          tr_id: 't-1',
          session_id: 's-1',
          action: 'block',
          category: 'malicious',
          timeout: true,
          error: true,
          errors: [{ content_type: 'response', feature: 'url_cats', status: 'timeout' }],
          prompt_detected: { injection: false, source_code: false },
          response_detected: { dlp: true, ungrounded: false },
          response_masked_data: { data: 'XX', pattern_detections: [] },
          tool_detected: null,
        },
      },
    ],
    value: {
      ...identity,
      tr_id: 't-1',
      session_id: 's-1',
      prompt: 'a | b',
      response: 'c\nd',
      action: 'block',
      decision: 'block',
      category: 'malicious',
      detected: true,
      prompt_detected: { injection: false, source_code: false },
      response_detected: { dlp: true, ungrounded: false },
      timeout: true,
      error: true,
      errors: [{ content_type: 'response', feature: 'url_cats', status: 'timeout' }],
      response_masked_data: { data: 'XX', pattern_detections: [] },
    },
  },
  {
    command,
    what: 'an answer that leaves out all but the verdict',
    args: 'profile_name=prod prompt=x',
    script: [
      {
        request,
        body: { ai_profile: { profile_name: 'prod' }, contents: [{ prompt: 'x' }] },
        answer: { action: 'block', category: '', tr_id: null },
      },
    ],
    value: {
      scan_id: null,
      report_id: null,
      profile_id: null,
      profile_name: null,
      source: null,
      tr_id: null,
      session_id: null,
      prompt: 'x',
      response: null,
      action: 'block',
      decision: 'block',
      category: '',
      detected: false,
      prompt_detected: null,
      response_detected: {},
      timeout: null,
      error: null,
      errors: null,
    },
  },
];
