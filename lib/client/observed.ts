/** Shows a host the requests of a command, without secrets. */
import type { Clock } from '../core/ports.ts';
import type { Observe, SeenRequest } from '../core/runtime.ts';
import { grouped } from '../core/text/numbers.ts';

/** Maximum characters of a body that is shown. */
const MAX_SHOWN = 20_000;
/** Maximum characters of a body that is read: redaction needs the whole body, because a cut may split a secret. */
const MAX_READ = 500_000;

/** Returns the observer of a runtime. @param show receives each request after its response */
export function observing(clock: Clock, show: (request: SeenRequest) => void): Observe {
  return ({ method, url, body = '', upload }, redact) => {
    const [at, started] = [new Date(clock.now()).toISOString(), clock.elapsed()];
    return (response) => {
      const sent = upload === undefined ? shownBody(body, redact) : { file: upload.file.name };
      const file = response?.file;
      const received = file === undefined ? shownBody(response?.body ?? '', redact) : { file: file.name };
      show({
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
  };
}

function shownBody(body: string, redact: Parameters<Observe>[1]): unknown {
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
