export { addMessage, addPage } from './add-documents.ts';
export { createCollectionCard } from './collection-card.ts';
export type { KnowledgeContext } from './context.ts';
export { createKnowledgeTools, KNOWLEDGE_SOURCE } from './knowledge-tools.ts';
export { reindexMessage } from './reindex-message.ts';
export type { AddOutcome } from './store-document.ts';
export { findAddRefusal, mayRemove } from './may-change.ts';
