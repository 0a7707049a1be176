import type { Plugin } from 'esbuild';

/**
 * Leaves out Ajv, which the MCP SDK compiles schemas of servers with: that runs code made of what strangers sent. `shared/mcp` passes a validator of
 * its own. 134 KB.
 */
export const withoutAjv: Plugin = {
  name: 'without-ajv',
  setup(build) {
    build.onLoad({ filter: /sdk\/dist\/esm\/validation\/ajv-provider\.js$/ }, () => ({
      contents:
        "export class AjvJsonSchemaValidator { getValidator() { throw new Error('schemas of servers are not compiled'); } }",
    }));
  },
};
