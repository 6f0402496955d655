/**
 * Takes from the environment of the tests what would change what they see: settings of a user, proxies, the kind and size of a terminal.
 * It is done once, before any worker starts, because Node itself reads some of it, such as TERM.
 */
const FOREIGN =
  /^(AISEC_(?!LAW_).*|(https?|all|no)_proxy|NODE_USE_ENV_PROXY|NODE_TLS_REJECT_UNAUTHORIZED|COLUMNS|LINES)$/i;

for (const name of Object.keys(process.env)) if (FOREIGN.test(name)) delete process.env[name];
process.env.TERM = 'xterm-256color';
