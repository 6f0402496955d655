/** Types of `browser.mjs`, for tests. */
import type { Browser } from 'playwright-core';

export function findBrowser(env?: NodeJS.ProcessEnv): string | undefined;
export function launchBrowser(env?: NodeJS.ProcessEnv): Promise<Browser>;
