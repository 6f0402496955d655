/** Opens the parts of the service that all requests share. */
import type { ClientParts } from '../../client/open.ts';
import type { ReportPages } from '../../client/report-pages.ts';
import type { StartOptions, StopSignal } from '../../client/types.ts';
import type { Clock } from '../../core/ports.ts';
import type { Advice } from '../../core/runtime.ts';
import { catalogueEntry } from '../../manifest/command-catalogue.ts';
import { declarationsOf } from '../../manifest/describe.ts';
import { namedProfile } from '../../node/settings/location.ts';
import { nodeClock } from '../../node/system/clock.ts';
import type { PlaybookText } from '../../playbook/playbook.ts';
import { openAudit } from '../../runs/audit/audit.ts';
import { recordedCalls } from '../../runs/audit/calls.ts';
import { InProcessRuns } from '../../runs/in-process.ts';
import { needsThisProcess, ownerKey, type Runs } from '../../runs/port.ts';
import { type FileHints, TenantSections, Tenants } from '../../runs/tenants.ts';
import { Rate, SlowDown } from './access/admission.ts';
import { authenticatorOf, type Caller } from './access/authenticate.ts';
import { Logins } from './access/logins.ts';
import { currentRights } from './access/rights.ts';
import { newToken, openTokenFile } from './access/tokens.ts';
import { OwnValues } from './completion/own-values.ts';
import { Streams } from './events/streams.ts';
import { type GuardPolicy, guardsOf } from './guarding/guards.ts';
import { OpenStreams } from './guarding/open-streams.ts';
import { Metrics } from './metrics.ts';
import { Idempotency } from './responses/idempotency.ts';
import { Unread } from './responses/unread.ts';
import { shippedPlaybooks } from './routes/playbooks.ts';
import { readinessOf } from './routes/service.ts';
import type { PageFile, ServerLimits, Service } from './service.ts';
import { Sessions } from './sessions/sessions.ts';
import { isSimulated, tenantFactsOf } from './tenant-facts.ts';
import { verifierOf, workerOf } from './work.ts';

const ADVICE: Advice = {
  settings: 'Set it where the service is started: in its environment or settings file. Or start it with --simulate.',
  time: 'Send "Prefer: respond-async": a run has a day.',
  commands: 'Search the list of commands.',
};

const FILE_HINTS: FileHints = {
  missing: 'Send the file first: POST /v1/files. Its id goes into this argument.',
  full: 'Delete files that are no longer needed.',
};

/** Injected parts of the program. */
export interface ServiceParts extends Pick<ClientParts, 'registry' | 'simulated' | 'queue'> {
  readonly version: string;
  readonly playbooks: () => Promise<readonly PlaybookText[]>;
  readonly reportPages: ReportPages;
  /** Reads the OpenAPI document that ships with the program. */
  readonly openApi: () => Promise<string>;
  /** Reads the files of the war room's page, by name. Default: there is no page. */
  readonly page?: () => Promise<ReadonlyMap<string, PageFile>>;
  readonly limits?: Partial<ServerLimits>;
}

/** Start options that determine the service's abilities. */
export interface ServiceOptions {
  readonly client: StartOptions;
  /** The token file; without it, `token` is the only token, or a token is created for this start. */
  readonly tokensFile?: string | undefined;
  /** The file need not exist: a token is created for this start too, and those of the file count once it is made. */
  readonly awaitsTokens?: boolean;
  /** The person who starts the service gets a code, also with a token file. */
  readonly opens?: boolean;
  readonly token?: string | undefined;
  /** Path of the audit log. Default: no audit log. */
  readonly auditFile?: string | undefined;
  /** Maximum number of requests per minute for one token. */
  readonly rate: number;
  /** Refuse a Redis that may forget runs. */
  readonly strict?: boolean;
  /** The guard's action if there is no complete verdict, and the content that it masks. Default: blocks, and masks nothing. */
  readonly guard?: GuardPolicy | undefined;
}

/** The environment of the service. */
export interface ServiceEnvironment {
  /** Directory of all files. */
  readonly directory: string;
  readonly limits: ServerLimits;
  readonly warn: (message: string) => void;
  /** Aborts when the service stops: it accepts no new work. */
  readonly stopping: AbortSignal;
  /** Aborts when the shutdown time is up: running work is stopped. */
  readonly halting: StopSignal;
}

/** A service that is ready to serve. */
interface OpenedService {
  readonly service: Service;
  /** The token created for this start, if any. */
  readonly token: string | undefined;
  /** Logs a browser in once, with the rights of the start's token. */
  readonly code: string | undefined;
}

/** Opens the service. @returns the service, with the token created for this start, and a code that logs a browser in once */
export async function openService(
  parts: ServiceParts,
  options: ServiceOptions,
  environment: ServiceEnvironment,
): Promise<OpenedService> {
  const { registry, simulated, playbooks, reportPages, version, openApi, queue, page = async () => new Map() } = parts;
  const { directory, limits, stopping, halting, warn } = environment;
  const clock = nodeClock();
  const catalogue = (await declarationsOf(registry)).map(catalogueEntry);
  const { authenticate, made, logins, code } = openAccess(options, clock, warn);
  const metrics = new Metrics(clock);
  const rate = new Rate(options.rate, clock);
  const sessions = new Sessions({ catalogue, clock, simulates: isSimulated(options.client) });
  const streams = new Streams(limits.streams);
  const guardStreams = new OpenStreams(limits.guardStreams);
  const guards = guardsOf({ policy: options.guard, metrics, log: options.client.log });
  const audit = await openAudit(options.auditFile, { registry, warn });
  const tenants = new Tenants({
    ...{ directory, catalogue, start: options.client, fileHints: FILE_HINTS },
    parts: { registry, simulated, advice: ADVICE, stopping, ...(queue === undefined ? {} : { queue }) },
    beforeRetry: (owner) => rate.take(ownerKey(owner)),
    wrap: (tenant) => metrics.watch(tenant),
    watch: recordedCalls({ audit, clock, checkNow: currentRights(authenticate, catalogue) }),
  });
  tenants.of({ tenant: '' });
  const ownValues = new OwnValues(tenants, halting);
  const doWork = workerOf({ registry, catalogue, tenants, sessions, metrics, clock, ownValues });
  const runs = await openRuns(options, environment, { clock, doWork });
  metrics.read(
    () => runs.counts(),
    () => sessions.count(),
    { events: () => streams.count(), guarded: () => guardStreams.count() },
  );
  const service: Service = {
    ...{ registry, catalogue, clock, authenticate, rate, audit, tenants, runs, sessions, streams, metrics },
    ...{ guards, guardStreams, limits, stopping, halting, doWork, logins, page, ownValues },
    slowDown: new SlowDown(clock),
    playbooks: shippedPlaybooks(playbooks, registry),
    uploads: new Streams(limits.uploads),
    ...{ reportPages, version, openReportPages: new Streams(limits.reportPages) },
    unread: new Unread(limits.unreadBytes),
    verify: verifierOf({ tenants, sessions, registry, catalogue }),
    idempotency: new Idempotency(clock),
    openApi,
    tenantFacts: tenantFactsOf(options.client, stopping),
    readiness: readinessOf({ tenants, runs, clock }),
  };
  return { service, token: made, code };
}

/** The caller with the token of this start. */
const STARTER: Caller = { name: 'start', role: 'admin' };

/** Opens the tokens of the file, and a token for this start if a token is given or no file is. */
function openAccess(options: ServiceOptions, clock: Clock, warn: (message: string) => void) {
  const { tokensFile, awaitsTokens = false, token: given, opens = false } = options;
  const made = (tokensFile === undefined || awaitsTokens) && given === undefined ? newToken() : undefined;
  // The token of an address is never shown. It grants nothing new: the person who starts the service can write its token file.
  const token = given ?? made ?? (opens ? newToken() : undefined);
  const authenticate = authenticatorOf({
    clock,
    warn,
    ...(tokensFile === undefined ? {} : { file: openTokenFile(tokensFile, clock.now, awaitsTokens) }),
    ...(token === undefined ? {} : { once: { token, caller: STARTER } }),
  });
  const logins = new Logins(clock);
  return { authenticate, made, logins, code: token === undefined ? undefined : logins.newCode(STARTER) };
}

/** Opens the runs: inside this process, or on the queue, except for work that needs this process. */
async function openRuns(
  { client: start, strict = false }: ServiceOptions,
  { warn, stopping }: ServiceEnvironment,
  { clock, doWork }: Pick<Service, 'clock' | 'doWork'>,
): Promise<Runs> {
  const local = new InProcessRuns({ perform: doWork, clock });
  if (start.queue === undefined) return local;
  const { connectQueuedRuns } = await import('../../runs/redis/runs/runs.ts');
  const { profile, environment = {}, simulate = false } = start;
  const sections = new TenantSections(start, stopping);
  return connectQueuedRuns(start.queue, {
    ...{ local, clock, simulates: simulate !== false, warn, strict },
    isLocal: needsThisProcess,
    profile: namedProfile({ path: undefined, profile, environment }) ?? '',
    identityOf: async (tenant) => (await sections.of(tenant)).identity,
  });
}
