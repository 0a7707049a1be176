import type { ToolSource } from '../../../shared/ports/index.ts';
import type { AdaptBody } from '../../../shared/upstream/index.ts';
import type { CreatePlatformAdapter } from '../platform-adapter.ts';

/** What a deployment adds to the bot, in code of its own. */
export type Extensions = {
  /** Further tools. Administrators turn each on by its name, in the setting `tools`. */
  readonly toolSources: readonly ToolSource[];
  /** Adapters that take the place of the built-in ones. Threads of that platform then go through them. */
  readonly platforms: { readonly [name in 'slack' | 'discord']?: CreatePlatformAdapter };
  /** Changes the body of each chat request, for a model server with quirks. */
  readonly adaptBody: AdaptBody;
};

export const noExtensions: Extensions = { toolSources: [], platforms: {}, adaptBody: (body) => body };

/** Those of this deployment: put yours here, and deploy. All functions use them. */
export const EXTENSIONS: Extensions = noExtensions;
