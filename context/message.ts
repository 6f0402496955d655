/** The service's message about a change, which may be missing. */
import { string } from '../lib/runtime/output/record.ts';

/** Declares the message. @param standard default sentence */
export const messageOr = (standard: string) =>
  string('Message of the service.', { derive: ({ message }) => message ?? standard });
