/** Waits for a model scan to end, and explains its outcome. */
import { ModelScanGet } from '../../context/model-security/scans.ts';
import { idIn } from '../../lib/runtime/api/find.ts';
import {
  asText,
  type Job,
  modelData,
  objectOf,
  objectsOf,
  one,
  type Position,
  path,
  ServiceError,
  type Step,
  type WaitArguments,
  type Wire,
} from '../../lib/runtime/engine/declare.ts';

/** Final outcomes; the wait continues on any other outcome. Source: `docs/wire.md`. */
const ENDS = ['ALLOWED', 'BLOCKED', 'ERROR'];

/** Polls the scan until it has ended. A failed scan ends the job with the service's error. */
export const untilScanned: Job<WaitArguments> = {
  isRequested: ({ wait }) => wait,
  begin: async (scan) => positionOf(scan),
  step: async ({ uuid }, { interval }, { api }): Promise<Step> => {
    const scan = await api.fetch(modelData.get(path`/v1/scans/${idIn({ uuid }, 'uuid')}`));
    if (ENDS.indexOf(asText(scan['eval_outcome'])) >= 0) return { wire: scan, failure: failureOf(scan) };
    const position = positionOf(scan);
    return {
      position,
      waitMs: interval * 1000,
      progress: `Model scan of ${modelName(scan)}: ${asText(position['outcome'])}`,
      latest: scan,
    };
  },
  output: one(ModelScanGet),
  limits: (args) => args,
  title: ({ uuid, outcome }) => `model scan ${asText(uuid)}, whose outcome is ${asText(outcome)},`,
  follow: ({ uuid }) => `!aisec-model-security-scans-get uuid=${asText(uuid)}`,
};

function positionOf({ uuid, eval_outcome }: Wire): Position {
  return { uuid, outcome: eval_outcome ?? 'unknown' };
}

/** Names the model by the end of its address, because the other parts may contain a secret. */
function modelName({ model_uri, uuid }: Wire): string {
  const parts = asText(model_uri)
    .replace(/[?#].*$/, '')
    .split(/[/\\]/)
    .filter((part) => part !== '');
  return parts.slice(-2).join('/').replace(/^.*@/, '') || asText(uuid);
}

function failureOf({ uuid, eval_outcome, error_code, error_message }: Wire): ServiceError | undefined {
  if (eval_outcome !== 'ERROR') return undefined;
  const why = [error_code, error_message].filter((part) => typeof part === 'string' && part !== '').join(': ');
  return new ServiceError(`The model scan ${asText(uuid)} failed${why === '' ? '.' : `: ${why}`}`, {
    hint: 'No rule evaluated this model: fix the error, and scan it again.',
  });
}

/** Matches remote addresses, but not file URLs or paths, including paths with a drive letter. */
const REMOTE = /^(?!file:)[a-z][a-z0-9+.-]+:\/\//i;

/** Returns a note for models that the service cannot reach. */
export function whoReads(model_uri: string): string | undefined {
  if (REMOTE.test(model_uri)) return undefined;
  return (
    'The service cannot read a local path. Scan a local model with the scanner on its own machine, which uploads its ' +
    'findings; without findings, this scan may end in an error.'
  );
}

/** Returns a note with the labels of a scan, which are not in the context. */
export function labelsOf(labels: unknown): string | undefined {
  const pairs = objectsOf(labels).map(({ key, value }) => `${asText(key)}=${asText(value)}`);
  return pairs.length === 0 ? undefined : `Labels: ${pairs.join(', ')}.`;
}

/** Returns the remediation of violations, once per rule. */
export function howToFix(violations: unknown): string[] {
  const advice = objectsOf(violations).map(({ rule_name, remediation }) => {
    const { steps, url } = objectOf(remediation);
    const list: unknown[] = Array.isArray(steps) ? steps : [];
    const words = [...list, url].filter((part) => typeof part === 'string');
    return words.length === 0 ? '' : `${asText(rule_name)}: ${words.join(' ')}`;
  });
  return advice.filter((sentence, at) => sentence !== '' && advice.indexOf(sentence) === at);
}
