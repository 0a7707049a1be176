import type { ChatContext } from '../chat/index.ts';
import type { Collections } from '../storage/index.ts';
import type { ToolsContext } from '../tools/index.ts';

/** The collections of channels. */
export type KnowledgeContext = {
  readonly collections: Pick<
    Collections,
    | 'hasDocuments'
    | 'list'
    | 'save'
    | 'remove'
    | 'removeMessage'
    | 'removeThread'
    | 'clear'
    | 'removeParts'
    | 'removeAll'
    | 'findTerms'
    | 'findPassage'
  >;
};

/** What adding a document needs. */
export type AddContext = KnowledgeContext &
  Pick<ChatContext, 'turns' | 'platform' | 'pdf' | 'messenger' | 'time' | 'log'> &
  Pick<ToolsContext, 'toolServers'>;
