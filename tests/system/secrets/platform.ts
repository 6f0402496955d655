/** The platform host with all commands, on in-memory globals, with all output of a run. */
import { registry } from '../../../commands/index.ts';
import type { PlatformGlobals } from '../../../lib/hosts/platform/globals.ts';
import { runOnPlatform } from '../../../lib/hosts/platform/main.ts';
import type { PlatformHttp } from '../../../lib/runtime/transport/platform.ts';
import { LINE_FILES } from '../../support/lines.ts';
import { type TestClock, testClock } from '../../support/simulated.ts';
import type { CanaryService } from './canaries.ts';

export interface Answered {
  /** Entries as JSON, or the message of the connection test. */
  readonly answer: string;
  readonly failed: boolean;
  readonly logged: string;
  readonly files: string;
}

/** Runs a command in an instance whose settings are the service's. */
export async function runInEngine(
  command: string,
  args: Readonly<Record<string, unknown>>,
  service: CanaryService,
): Promise<Answered> {
  const logged: string[] = [];
  const files: Record<string, string> = { ...LINE_FILES };
  let kept: unknown;
  const clock = testClock();
  const globals: PlatformGlobals = {
    params: paramsOf(service),
    args,
    command,
    http: httpOf(service, clock, files),
    log: (text) => logged.push(text),
    logDebug: (text) => logged.push(text),
    // The platform's time passes while a script waits.
    wait: (seconds) => clock.advance(seconds * 1000),
    getIntegrationContext: () => kept,
    setIntegrationContext: (context) => {
      kept = context;
    },
    getFileByEntryID: (entry) => files[entry],
    saveFile: (text) => keep(files, text),
  };
  const answer = await runOnPlatform(globals, registry, clock.now).catch((thrown: unknown) => ({
    Type: 4,
    Contents: thrown,
  }));
  const text = JSON.stringify(answer);
  const failed = command === 'test-module' ? answer !== 'ok' : text.includes('"Type":4,');
  return { answer: text, failed, logged: logged.join('\n'), files: JSON.stringify(files) };
}

function keep(files: Record<string, string>, text: string): string {
  const entry = `made/${Object.keys(files).length}`;
  files[entry] = text;
  return entry;
}

function paramsOf(service: CanaryService): Record<string, unknown> {
  const settings = service.settings('http://127.0.0.1:8080');
  return {
    url: settings['AISEC_BASE_URL'],
    credentials: { identifier: settings['AISEC_CLIENT_ID'], password: settings['AISEC_CLIENT_SECRET'] },
    runtime_api_key: { identifier: '', password: settings['AISEC_RUNTIME_API_KEY'] },
    tsg_id: settings['AISEC_TSG_ID'],
    scanner_base_url: settings['AISEC_SCANNER_BASE_URL'],
    dlp_base_url: settings['AISEC_DLP_BASE_URL'],
    token_url: settings['AISEC_TOKEN_URL'],
  };
}

function httpOf(service: CanaryService, clock: TestClock, files: Record<string, string>): PlatformHttp {
  return (url, { Method, Headers, Body = '', SaveToFile }) => {
    const sent = Object.entries(Headers).map(([name, [value = '']]) => [name.toLowerCase(), value]);
    const request = { method: Method, url, headers: Object.fromEntries(sent), body: Body };
    const { status, headers, body, fault } = service.handle(request, clock);
    // Some engines include the request in their connection errors.
    if (fault !== undefined) throw new Error(`unexpected EOF: ${Method} ${url} ${JSON.stringify(Headers)} ${Body}`);
    const Headed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    const kept = SaveToFile === true && status < 300 ? { Path: keep(files, body) } : {};
    return { StatusCode: status, Status: String(status), Body: body, Headers: Headed, ...kept };
  };
}
