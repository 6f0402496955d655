/** Data of a dashboard: the state of a tenant at one moment. */

import { intervalJson } from '../scans/chance.ts';
import type { HistoryPoint } from '../scans/collect/target-history.ts';
import type { MissingPart } from '../scans/report-data.ts';

/** The completed scans of one type against one target. */
export interface Series {
  readonly target: string | undefined;
  /** STATIC, DYNAMIC or CUSTOM. Rates of different types cannot be compared. */
  readonly type: string;
  /** Oldest first. */
  readonly points: readonly HistoryPoint[];
}

/** A column of the heat map: the newest static scan of a target. */
export interface HeatColumn {
  readonly target: string | undefined;
  readonly scan: string;
  readonly cells: readonly HeatCell[];
  /** Successful attacks by severity. */
  readonly severities: readonly { readonly severity: string; readonly hit: number }[];
}

/** Attacks that succeeded in one scan, and that no later scan has shown the target to withstand. */
export interface OpenFindings extends Pick<HeatColumn, 'target' | 'scan' | 'severities'> {
  /** Later scans did not run these attacks. */
  readonly isOlder: boolean;
  readonly noun: string;
  /** Number of attacks of any severity; undefined if only severities are counted. */
  readonly hits?: number;
  readonly trials?: number;
}

export interface HeatCell {
  readonly category: string;
  readonly kind: string;
  readonly hit: number;
  readonly total: number;
}

export type Urgency = 'critical' | 'high' | 'medium';

/** An item that a person should look at. */
export interface Attention {
  readonly urgency: Urgency;
  /** Such as `API key`. */
  readonly kind: string;
  /** Name of the key, model or target, exactly as the service sends it. */
  readonly subject: string;
  /** Continues the subject, such as `expires in 5 days`. */
  readonly state: string;
  /** Command that shows the details. */
  readonly command: string;
  /** Scan whose page shows the details. */
  readonly scan?: string;
  /** Short form for one line of a terminal: the state, such as `failed`, and the text after the subject. */
  readonly brief?: { readonly word: string; readonly detail: string };
}

/** Scans of one type that the licence includes. */
export interface Quota {
  readonly type: string;
  readonly consumed: number | undefined;
  readonly allocated: number | undefined;
  readonly unlimited: boolean;
}

export interface DashboardData {
  /** Tenant services group. */
  readonly tenant: string | undefined;
  /** Section of the settings file. */
  readonly profile: string | undefined;
  readonly production: boolean;
  /** The most recently scanned targets first. */
  readonly series: readonly Series[];
  readonly heat: readonly HeatColumn[];
  readonly open: readonly OpenFindings[];
  /** The most urgent first. */
  readonly attention: readonly Attention[];
  /** Undefined if the quota could not be read. */
  readonly quota: readonly Quota[] | undefined;
  /** Sentences that say what the page leaves out. */
  readonly bounds: readonly string[];
  readonly missing: readonly MissingPart[];
  readonly simulated: boolean;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
  /** Version of this program. */
  readonly version: string;
}

/** Writes what the page shows, with every item that needs attention. */
export function dashboardJson(data: DashboardData) {
  const { tenant, profile, production, createdAt, attention, series, heat, quota, bounds, missing, simulated } = data;
  return {
    tenant: tenant ?? null,
    profile: profile ?? null,
    production,
    createdAt: new Date(createdAt).toISOString(),
    complete: !missing.some(({ failed }) => failed),
    attention: attention.map(({ brief: _, ...item }) => item),
    rates: series.map(seriesJson),
    categories: heat.map(({ target, scan, cells, severities }) => ({
      ...{ target: target ?? null, scan, severities },
      kinds: cells.map(({ category, kind, hit, total }) => ({ category, kind, successful: hit, attacks: total })),
    })),
    quota: quota?.map(({ type, consumed, allocated, unlimited }) => ({
      ...{ type, consumed: consumed ?? null, allocated: allocated ?? null, unlimited },
    })),
    bounds,
    missing: missing.map(({ what, why }) => ({ what, why })),
    ...(simulated ? { simulated } : {}),
  };
}

function seriesJson({ target, type, points }: Series) {
  return {
    target: target ?? null,
    type,
    scans: points.map(({ id, finishedAt, asr, interval, score }) => ({
      uuid: id,
      finishedAt: finishedAt ?? null,
      asr: asr ?? null,
      asrInterval: intervalJson(interval),
      score: score ?? null,
    })),
  };
}
