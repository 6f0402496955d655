/**
 * Removes variables from the environment that would change results: settings of a user, proxies, the kind and size of a terminal.
 * Runs before any worker starts, because Node itself reads some of them, such as TERM.
 */
const FOREIGN =
  /^(AISEC_(?!LAW_).*|(https?|all|no)_proxy|NODE_USE_ENV_PROXY|NODE_TLS_REJECT_UNAUTHORIZED|COLUMNS|LINES)$/i;

for (const name of Object.keys(process.env)) if (FOREIGN.test(name)) delete process.env[name];
process.env.TERM = 'xterm-256color';
