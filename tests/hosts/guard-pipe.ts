/** Runs `aisec guard` on its own streams, against a service that follows a rule. */
import { PassThrough } from 'node:stream';
import { PROGRAM } from '../../bin/subcommands.ts';
import { registry } from '../../commands/index.ts';
import { createService } from '../../fixtures/service/index.ts';
import type { SimulatedService } from '../../lib/client/simulation.ts';
import { objectOf } from '../../lib/core/json.ts';
import type { HttpRequest, HttpResponse } from '../../lib/core/ports.ts';
import { stopped, untilStopped } from '../../lib/core/stop.ts';
import { main } from '../../lib/hosts/terminal/shell/main.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { until } from '../support/machine.ts';

/** A service's answer to a text. */
export type Answer = (text: string, request: HttpRequest) => Promise<object | number> | object | number;

export interface Pipe {
  readonly code: Promise<number>;
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  output(): Buffer;
  errors(): string;
  /** The scanned texts. */
  readonly scanned: readonly string[];
  /** Bodies of the requests. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  /** Waits until the output equals this text. */
  shows(text: string): Promise<void>;
}

/** Answers like the service: blocks a text that contains `BAD`. */
export function ruled(text: string): object {
  const isBad = text.includes('BAD');
  return {
    action: isBad ? 'block' : 'allow',
    category: isBad ? 'malicious' : 'benign',
    profile_name: 'prod',
    scan_id: 'scan-1',
    report_id: 'report-1',
    timeout: false,
    error: false,
    response_detected: { dlp: isBad },
  };
}

/** Starts the program. @param words after `aisec --simulate guard` */
export function startPipe(words: readonly string[], answer: Answer = ruled): Pipe {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const chunks: Buffer[] = [];
  let errors = '';
  stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const scanned: string[] = [];
  const bodies: Readonly<Record<string, unknown>>[] = [];
  const simulated = async (): Promise<SimulatedService> => ({
    settings: () => createService().settings('http://localhost'),
    transport: () => ({
      send: async (request): Promise<HttpResponse> => {
        const body = objectOf(JSON.parse(request.body ?? '{}'));
        const text = textOf(body);
        bodies.push(body);
        scanned.push(text);
        const answered = await untilStopped(Promise.resolve(answer(text, request)), request.stop);
        if (request.stop?.stopped === true) throw stopped();
        const headers = { 'x-aisec-simulated': '1' };
        if (typeof answered === 'number') return { status: answered, headers, body: '{}' };
        return { status: 200, headers, body: JSON.stringify(answered) };
      },
    }),
    serve: async () => Promise.reject(new Error('nothing to serve')),
  });
  const code = main(
    {
      argv: ['--simulate', 'guard', ...words],
      environment: {},
      ...{ stdin, stdout, stderr, registry, simulated },
      catalogue: () => catalogueOf(registry),
      playbooks: async () => [],
      openApi: async () => '',
      version: '1.2.3',
    },
    PROGRAM,
  );
  const output = () => Buffer.concat(chunks);
  const shows = (text: string) =>
    until(
      () => output().toString() === text,
      () => `the output is ${JSON.stringify(output().toString())}, not ${JSON.stringify(text)}; ${errors}`,
    );
  return { code, stdin, stdout, output, errors: () => errors, scanned, bodies, shows };
}

function textOf({ contents }: Readonly<Record<string, unknown>>): string {
  const content = objectOf(Array.isArray(contents) ? contents.at(-1) : undefined);
  return String(content['response'] ?? content['prompt'] ?? JSON.stringify(content['tool_event']));
}

/** Runs the program on an input to the end. */
export async function throughPipe(words: readonly string[], input: string | Buffer, answer?: Answer) {
  const pipe = startPipe(words, answer);
  pipe.stdin.end(input);
  const code = await pipe.code;
  return { ...pipe, code, stdout: pipe.output(), stderr: pipe.errors() };
}
