import * as v from 'valibot';

/** How the bot signs in at an MCP server: not at all, with a key, with one OAuth sign-in for all, or with a sign-in of each person. */
export const SERVER_AUTHS = ['none', 'key', 'oauth', 'person'] as const;
export type ServerAuth = (typeof SERVER_AUTHS)[number];

/** What administrators decided about a tool: not offered, runs at once, or asks the person on a card first. */
export const TOOL_USES = ['off', 'run', 'ask'] as const;

/** A workspace's most MCP servers. */
export const MAX_SERVERS = 20;

/** A tool of a server, as the bot understands it. */
export const serverToolSchema = v.object({
  /** On the server. */
  name: v.pipe(v.string(), v.maxLength(200)),
  description: v.pipe(v.string(), v.maxLength(1_000)),
  /** A JSON schema of an object, with what models need. */
  parameters: v.record(v.string(), v.unknown()),
  /** The server says that the tool changes nothing. It may lie: administrators decide. */
  isReadOnly: v.boolean(),
  /** The server does not rule out that it destroys something. */
  isDestructive: v.boolean(),
});
export type ServerTool = v.InferOutput<typeof serverToolSchema>;
