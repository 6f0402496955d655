/**
 * Removes environment variables that would change results: user settings, proxies, terminal type and size. Runs before
 * any worker starts, because Node itself reads some of them, such as TERM.
 */
const FOREIGN =
  /^(AISEC_(?!LAW_).*|(https?|all|no)_proxy|NODE_USE_ENV_PROXY|NODE_TLS_REJECT_UNAUTHORIZED|COLUMNS|LINES)$/i;

for (const name of Object.keys(process.env)) if (FOREIGN.test(name)) delete process.env[name];
process.env.TERM = 'xterm-256color';
