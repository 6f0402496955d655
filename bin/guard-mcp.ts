/** The module `aisec/guard/mcp`: the guard around a transport of the Model Context Protocol. */
export * from '../lib/guard/adapters/mcp.ts';
