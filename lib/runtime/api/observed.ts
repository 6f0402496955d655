/** Shows a host the requests of a command, without secrets. */
import type { HttpRequest, HttpResponse } from '../../core/ports.ts';
import type { Redact } from '../../core/redaction/responses.ts';
import type { Runtime } from '../../core/runtime.ts';
import { grouped } from '../../core/text/numbers.ts';

/** Maximum characters of a body that is shown. */
const MAX_SHOWN = 20_000;
/** Maximum characters of a body that is read: redaction needs the whole body, because a cut may split a secret. */
const MAX_READ = 500_000;

/** Returns a function that shows a request with its response; undefined if the host shows no requests. */
export function seenBy(
  { observe, clock }: Pick<Runtime, 'observe' | 'clock'>,
  { method, url, body = '', upload }: Pick<HttpRequest, 'method' | 'url' | 'body' | 'upload'>,
  redact: Redact,
): ((response?: HttpResponse) => void) | undefined {
  if (observe === undefined) return undefined;
  const [at, started] = [new Date(clock.now()).toISOString(), clock.elapsed()];
  return (response) => {
    const sent = upload === undefined ? shownBody(body, redact) : { file: upload.file.name };
    const file = response?.file;
    const received = file === undefined ? shownBody(response?.body ?? '', redact) : { file: file.name };
    observe({
      ...{
        method,
        url: redact.body(url),
        status: response?.status ?? null,
        ms: Math.round(clock.elapsed() - started),
        at,
      },
      ...(sent === undefined ? {} : { sent }),
      ...(received === undefined ? {} : { received }),
    });
  };
}

function shownBody(body: string, redact: Redact): unknown {
  if (body === '') return undefined;
  if (body.length > MAX_READ) return `(${grouped(body.length)} characters)`;
  const text = String(redact.named(body));
  if (text.length > MAX_SHOWN) return `${text.slice(0, MAX_SHOWN)}…`;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
