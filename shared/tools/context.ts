import type { ChatContext } from '../chat/index.ts';
import type { ToolSource } from '../ports/index.ts';

/** The context of the tools that administrators turn on. */
export type ToolsContext = Pick<ChatContext, 'settings' | 'memberRoles' | 'log' | 'time'> & {
  /** The sources of tools, in the order in which the model sees them. Empty where a deployment has none. */
  readonly toolSources: readonly ToolSource[];
};
