/** Security headers of every response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** Returns the headers, which are the same for every response. */
export function secureHeaders(hasTls: boolean): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => undefined,
  };
  const write = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
    ...(hasTls ? {} : { strictTransportSecurity: false }),
  });
  write({} as IncomingMessage, response as unknown as ServerResponse, (failure) => {
    if (failure instanceof Error) throw failure;
  });
  return headers;
}
