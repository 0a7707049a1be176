import type { ChatContext } from '../chat/index.ts';
import type { RequestToolServer, ToolSource } from '../ports/index.ts';
import type { ProposedCalls, ToolCredentials, ToolServerStore } from '../storage/index.ts';

/** The context of the tools that administrators turn on. */
export type ToolsContext = Pick<
  ChatContext,
  'settings' | 'memberRoles' | 'messenger' | 'toolLog' | 'time' | 'log'
> & {
  /** The sources of tools beside the servers of workspaces, in the order in which the model sees them. */
  readonly toolSources: readonly ToolSource[];
  /** The servers that workspaces add (MCP). */
  readonly toolServers: {
    readonly servers: Pick<ToolServerStore, 'list' | 'find' | 'add' | 'change' | 'remove'>;
    readonly credentials: Pick<
      ToolCredentials,
      | 'find'
      | 'findVersion'
      | 'save'
      | 'claimRenewal'
      | 'releaseRenewal'
      | 'renew'
      | 'remove'
      | 'removeAll'
      | 'begin'
      | 'take'
      | 'hold'
      | 'release'
    >;
    readonly calls: Pick<
      ProposedCalls,
      'create' | 'find' | 'noteCard' | 'claim' | 'finish' | 'release' | 'cancel' | 'removeOfQuestion'
    >;
    readonly request: RequestToolServer;
    /** Where a server sends people back after a sign-in. */
    readonly redirectUrl: string;
  };
};
