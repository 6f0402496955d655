/** The dashboard for programs. */
import { intervalJson } from '../report/chance.ts';
import type { DashboardData, Series } from './model.ts';

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
