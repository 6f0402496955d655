/**
 * The effect of a command on the service. `read` changes nothing: it is retried, and a dry run sends it.
 * `run` starts work, such as a scan. A dry run stops before all others, and they are never repeated blindly.
 */
export type Effect = 'read' | 'create' | 'update' | 'replace' | 'delete' | 'run';
